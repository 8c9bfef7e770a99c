import { TRANSFER_TO_HUMAN_AGENTS } from '../shared-tools.ts'

/**
 * What models read of the telecom tools, in upstream's order.
 *
 * Equal prompts need equal bytes, so that the wording is τ²-bench's own (Sierra Research, MIT licence,
 * https://github.com/sierra-research/tau2-bench): data, like the policy, not prose of this project.
 */
export interface ToolText {
  description: string
  parameters?: { readonly [name: string]: string }
  returns?: string
}

export const AGENT_TEXTS = {
  get_customer_by_phone: {
    description: 'Finds a customer by their primary contact or line phone number.',
    parameters: { phone_number: 'The phone number to search for.' },
    returns: 'Customer object if found, None otherwise.',
  },
  get_customer_by_id: {
    description: 'Retrieves a customer directly by their unique ID.',
    parameters: { customer_id: 'The unique identifier of the customer.' },
    returns: 'Customer object if found, None otherwise.',
  },
  get_customer_by_name: {
    description:
      'Searches for customers by name and DOB. May return multiple matches if names are similar,\n\nDOB helps disambiguate.',
    parameters: {
      full_name: 'The full name of the customer.',
      dob: 'Date of birth for verification, in the format YYYY-MM-DD.',
    },
    returns: 'List of matching Customer objects.',
  },
  get_details_by_id: {
    description:
      'Retrieves the details for a given ID.\n\nThe ID must be a valid ID for a Customer, Line, Device, Bill, or Plan.',
    parameters: { id: 'The ID of the object to retrieve.' },
    returns: 'The object corresponding to the ID.',
  },
  suspend_line: {
    description:
      'Suspends a specific line (max 6 months).\n\nChecks: Line status must be Active.\nLogic: Sets line status to Suspended, records suspension_start_date.',
    parameters: {
      customer_id: 'ID of the customer who owns the line.',
      line_id: 'ID of the line to suspend.',
      reason: 'Reason for suspension.',
    },
    returns: 'Dictionary with success status, message, and updated line if applicable.',
  },
  resume_line: {
    description:
      'Resumes a suspended line.\n\nChecks: Line status must be Suspended or Pending Activation.\nLogic: Sets line status to Active, clears suspension_start_date.',
    parameters: { customer_id: 'ID of the customer who owns the line.', line_id: 'ID of the line to resume.' },
    returns: 'Dictionary with success status, message, and updated line if applicable.',
  },
  get_bills_for_customer: {
    description: "Retrieves a list of the customer's bills, most recent first.",
    parameters: { customer_id: 'ID of the customer.', limit: 'Maximum number of bills to return.' },
    returns: 'List of Bill objects, ordered by issue date (newest first).',
  },
  send_payment_request: {
    description:
      'Sends a payment request to the customer for a specific bill.\n\nChecks:\n    - Customer exists\n    - Bill exists and belongs to the customer\n    - No other bills are already awaiting payment for this customer\nLogic: Sets bill status to AWAITING_PAYMENT and notifies customer.\nWarning: This method does not check if the bill is already PAID.\nAlways check the bill status before calling this method.',
    parameters: {
      customer_id: 'ID of the customer who owns the bill.',
      bill_id: 'ID of the bill to send payment request for.',
    },
    returns: 'Message indicating the payment request has been sent.',
  },
  get_data_usage: {
    description:
      'Retrieves current billing cycle data usage for a line, including data\n\nrefueling amount, data limit, and cycle end date.',
    parameters: { customer_id: 'ID of the customer who owns the line.', line_id: 'ID of the line to check usage for.' },
    returns: 'Dictionary with usage information.',
  },
  enable_roaming: {
    description: 'Enables international roaming on a line.',
    parameters: {
      customer_id: 'ID of the customer who owns the line.',
      line_id: 'ID of the line to enable roaming for.',
    },
    returns: 'Message indicating the roaming has been enabled.',
  },
  disable_roaming: {
    description: 'Disables international roaming on a line.',
    parameters: {
      customer_id: 'ID of the customer who owns the line.',
      line_id: 'ID of the line to disable roaming for.',
    },
    returns: 'Message indicating the roaming has been enabled.',
  },
  // All domains have this tool, with its texts: only its place is told here.
  transfer_to_human_agents: { description: TRANSFER_TO_HUMAN_AGENTS.description },
  refuel_data: {
    description:
      "Refuels data for a specific line, adding to the customer's bill.\n\nChecks: Line status must be Active, Customer owns the line.\nLogic: Adds data to the line and charges customer based on the plan's refueling rate.",
    parameters: {
      customer_id: 'ID of the customer who owns the line.',
      line_id: 'ID of the line to refuel data for.',
      gb_amount: 'Amount of data to add in gigabytes.',
    },
    returns: 'Dictionary with success status, message, charge amount, and updated line if applicable.',
  },
} satisfies Record<string, ToolText>

export const USER_TEXTS = {
  check_status_bar: {
    description:
      "Shows what icons are currently visible in your phone's status bar (the area at the top of the screen). Displays network signal strength, mobile data status (enabled, disabled, data saver), Wi-Fi status, and battery level.",
  },
  check_network_status: {
    description:
      "Checks your phone's connection status to cellular networks and Wi-Fi. Shows airplane mode status, signal strength, network type, whether mobile data is enabled, and whether data roaming is enabled.",
  },
  check_network_mode_preference: {
    description: 'Shows the current network mode preference.',
  },
  set_network_mode_preference: {
    description:
      'Changes the type of cellular network your phone prefers to connect to (e.g., 5G, LTE/4G, 3G). Higher-speed networks (LTE/5G) provide faster data but may use more battery.',
  },
  run_speed_test: {
    description:
      'Measures your current internet connection speed (download speed). Provides information about connection quality and what activities it can support.',
  },
  toggle_airplane_mode: {
    description:
      'Toggles Airplane Mode ON or OFF. When ON, it disconnects all wireless communications including cellular, Wi-Fi, and Bluetooth.\n\nReturns the new state of airplane_mode.',
  },
  check_sim_status: {
    description:
      'Checks if your SIM card is working correctly and displays its current status. Shows if the SIM is active, missing, or locked with a PIN or PUK code.',
  },
  reseat_sim_card: {
    description: 'Simulates removing and reinserting your SIM card. This can help resolve recognition issues.',
  },
  toggle_data: {
    description:
      "Toggles your phone's mobile data connection ON or OFF. Controls whether your phone can use cellular data for internet access when Wi-Fi is unavailable.\n\nReturns the new data connection status.",
  },
  toggle_roaming: {
    description:
      "Toggles Data Roaming ON or OFF. When ON, your phone can use data networks in areas outside your carrier's coverage.\n\nReturns the new data roaming status.",
  },
  check_data_restriction_status: {
    description: 'Checks if your phone has any data-limiting features active. Shows if Data Saver mode is on.',
  },
  toggle_data_saver_mode: {
    description:
      'Toggles Data Saver mode ON or OFF. When ON, it reduces data usage, which may affect data speed.\n\nReturns the new data saver mode status.',
  },
  check_apn_settings: {
    description:
      "Checks the technical APN settings your phone uses to connect to your carrier's mobile data network. Shows current APN name and MMSC URL for picture messaging.",
  },
  set_apn_settings: {
    description: 'Sets the APN settings for the phone.',
  },
  reset_apn_settings: {
    description: 'Resets your APN settings to the default settings.',
  },
  check_wifi_status: {
    description:
      "Checks your Wi-Fi connection status. Shows if Wi-Fi is turned on, which network you're connected to (if any), and the signal strength.",
  },
  toggle_wifi: {
    description:
      "Toggles your phone's Wi-Fi radio ON or OFF. Controls whether your phone can discover and connect to wireless networks for internet access.\n\nReturns the new Wi-Fi status.",
  },
  check_wifi_calling_status: {
    description:
      'Checks if Wi-Fi Calling is enabled on your device. This feature allows you to make and receive calls over a Wi-Fi network instead of using the cellular network.',
  },
  toggle_wifi_calling: {
    description:
      'Toggles Wi-Fi Calling ON or OFF. This feature allows you to make and receive calls over Wi-Fi instead of the cellular network, which can help in areas with weak cellular signal.\n\nReturns the new Wi-Fi Calling status.',
  },
  check_vpn_status: {
    description:
      "Checks if you're using a VPN (Virtual Private Network) connection. Shows if a VPN is active, connected, and displays any available connection details.",
  },
  connect_vpn: {
    description: 'Connects to your VPN (Virtual Private Network).',
  },
  disconnect_vpn: {
    description:
      'Disconnects any active VPN (Virtual Private Network) connection. Stops routing your internet traffic through a VPN server, which might affect connection speed or access to content.',
  },
  check_installed_apps: {
    description: 'Returns the name of all installed apps on the phone.',
  },
  check_app_status: {
    description:
      'Checks detailed information about a specific app. Shows its permissions and background data usage settings.',
  },
  check_app_permissions: {
    description:
      'Checks what permissions a specific app currently has. Shows if the app has access to features like storage, camera, location, etc.',
  },
  grant_app_permission: {
    description:
      'Gives a specific permission to an app (like access to storage, camera, or location). Required for some app functions to work properly.',
    parameters: {
      app_name: 'The name of the app to grant the permission to.',
      permission: 'The permission to grant, should be lowercase.',
    },
  },
  can_send_mms: {
    description: 'Checks if the default messaging app can send MMS messages.',
  },
  reboot_device: {
    description:
      'Restarts your phone completely. This can help resolve many temporary software glitches by refreshing all running services and connections.',
  },
  check_payment_request: {
    description: 'Checks if the agent has sent you a payment request.',
  },
  make_payment: {
    description: 'Makes a payment for the bill that the agent has sent you.',
  },
} satisfies Record<string, ToolText>

import { str } from '../../model.ts'
import { stringFor, valueAt } from '../../python/access.ts'
import { repr, str as text } from '../../python/number.ts'
import { fieldsOf, isTruthy, type PyValue } from '../../python/value.ts'
import { method } from '../../tool.ts'
import { userTool } from '../described.ts'
import { phoneOf, type TelecomState } from '../state.ts'
import type { AppStatus } from '../usermodels.ts'
import { withStatusBar } from './statusbar.ts'

type Permissions = AppStatus['permissions']

/** @throws PyError TypeError for a name that Python cannot look up */
function appNamed(state: TelecomState, name: PyValue): AppStatus | undefined {
  return valueAt(phoneOf(state).app_statuses, name)
}

function granted(permissions: Permissions): string[] {
  return fieldsOf(permissions)
    .filter(([, isAllowed]) => isTruthy(isAllowed))
    .map(([name]) => name.replaceAll('_', ' ').toLowerCase())
}

function isPermission(permissions: Permissions, name: string): name is keyof Omit<Permissions, symbol> {
  return Object.hasOwn(permissions, name)
}

function grantPermission(state: TelecomState, appName: PyValue, permission: PyValue): PyValue {
  const app = appNamed(state, appName)
  const name = stringFor(permission, 'lower').toLowerCase()
  if (!app) return withStatusBar(state, `Error. App '${text(appName)}' not found. Cannot grant permission.`)
  const { permissions } = app
  if (!isPermission(permissions, name)) {
    const available = repr(fieldsOf(permissions).map(([one]) => one))
    const problem = `Permission '${name}' not tracked for app '${text(appName)}', available permissions: ${available}`
    return withStatusBar(state, `Error. ${problem}`)
  }
  permissions[name] = true
  return withStatusBar(state, `Success. Permission '${name}' granted to app '${text(appName)}'.`)
}

export const appTools = [
  userTool('check_installed_apps', 'read', (state) => {
    const names = [...phoneOf(state).app_statuses.keys()].join(', ')
    return `The following apps are installed on the phone: ${names}`
  }),
  userTool(
    'check_app_status',
    'read',
    (state, appName) => {
      const app = appNamed(state, appName)
      if (!app) return `App '${text(appName)}' not found on this phone.`
      const allowed = granted(app.permissions)
      const lines = allowed.map((permission) => `   - ${permission}`)
      const heading = allowed.length > 0 ? ' - Permissions Granted:' : ' - Permissions: None granted.'
      return [`Status for App: ${text(appName)}`, heading, ...lines].join('\n')
    },
    { app_name: str },
  ),
  userTool(
    'check_app_permissions',
    'read',
    (state, appName) => {
      const app = appNamed(state, appName)
      if (!app) return `App '${text(appName)}' not found on this phone.`
      const allowed = granted(app.permissions)
      if (allowed.length === 0) return `App '${text(appName)}' currently has no permissions granted.`
      return `App '${text(appName)}' has permission for: ${allowed.join(', ')}.`
    },
    { app_name: str },
  ),
  userTool('grant_app_permission', 'write', grantPermission, { app_name: str, permission: str }),
]

export const appMethods = [
  method<TelecomState>('remove_app_permission', ['app_name', 'permission'], (state, appName, permission) => {
    const app = appNamed(state, appName)
    const name = stringFor(permission, 'lower').toLowerCase()
    if (!app) return [false, `App '${text(appName)}' not found. Cannot remove permission.`]
    if (!isPermission(app.permissions, name)) {
      return [false, `Permission '${name}' not tracked for app '${text(appName)}'.`]
    }
    app.permissions[name] = false
    return [true, `Permission '${name}' removed from app '${text(appName)}'.`]
  }),
]

/** Where other people work on the same machine: what requests have to bring. Never an option, which they could see in a list of processes. */
export const KEY_VARIABLE = 'RWML_SERVE_KEY'

/** Clients in which people see what they send, in lower case. */
const interactiveClients = new Set([
  'android',
  'ios',
  'snipe',
  'website',
  'zulipandroid',
  'zulipdesktop',
  'zulipelectron',
  'zulipflutter',
  'zulipios',
  'zulipmobile',
  'zulipterminal',
])

/** Whether what is sent with this client counts as read by its sender, unless the request says otherwise. */
export function isReadByDefault(client: string): boolean {
  const name = client.toLowerCase()
  return interactiveClients.has(name) || name.includes('desktop app')
}

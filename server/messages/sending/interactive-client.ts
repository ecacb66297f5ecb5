/** The names, in lower case, of the clients in which users see the messages that they send. */
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

/** Returns true if messages from this client count as read by their sender, unless the request says otherwise. */
export function isReadByDefault(client: string): boolean {
  const name = client.toLowerCase()
  return interactiveClients.has(name) || name.includes('desktop app')
}

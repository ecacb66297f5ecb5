/** Whether the message tells in the third person what its sender does. The HTML keeps the `/me`. */
export function isMeMessage(content: string): boolean {
  return content.startsWith('/me ')
}

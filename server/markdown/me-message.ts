/** Returns whether the message describes the sender in the third person. The HTML keeps the `/me`. */
export function isMeMessage(content: string): boolean {
  return content.startsWith('/me ')
}

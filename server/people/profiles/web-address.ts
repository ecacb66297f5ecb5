/** Returns whether the text is a complete HTTP or FTP URL. */
export function isWebAddress(text: string): boolean {
  if (text.length > MAX_CHARACTERS || !/^(?:https?|ftps?):\/\/[^\s\p{Cc}]+$/iu.test(text)) return false
  const url = URL.parse(text)
  return url !== null && HOST.test(url.hostname)
}

const MAX_CHARACTERS = 2048

/** Matches a host: a name with a dot, `localhost`, or an IPv4 or IPv6 address. */
const HOST = /^(?:localhost|\[[\da-f:.]+\]|[^.]+(?:\.[^.]+)+\.?)$/i

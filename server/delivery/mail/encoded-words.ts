/** UTF-8 bytes of an encoded word: with what stands around them in base 64 it has at most 75 characters (RFC 2047). */
const MAX_BYTES = 45

/**
 * A text as the value of a header that every mail program shows as it is. What looks like an encoded word, such as
 * `=?utf-8?b?aGk=?=`, would be shown decoded otherwise, and a name could pass for another one: the whole text is encoded
 * then.
 */
export function toHeaderText(text: string): string {
  return text.includes('=?') ? encodeWords(text) : text
}

function encodeWords(text: string): string {
  const words: string[] = []
  let word = ''
  for (const character of text) {
    if (Buffer.byteLength(word + character) > MAX_BYTES) {
      words.push(word)
      word = ''
    }
    word += character
  }
  // The space between two encoded words is not part of the text.
  return [...words, word].map((part) => `=?utf-8?B?${Buffer.from(part).toString('base64')}?=`).join(' ')
}

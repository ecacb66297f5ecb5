/**
 * The maximum number of UTF-8 bytes in an encoded word. With its delimiters, the word may have 75 characters (RFC
 * 2047).
 */
const MAX_BYTES = 45

/**
 * Returns a header value that every email client shows as this text. If the text contains something like an encoded
 * word, such as `=?utf-8?b?aGk=?=`, all of it is encoded. Otherwise, email clients would decode that part, and a user
 * could pass for another.
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
  // The space between two encoded words does not belong to the text.
  return [...words, word].map((part) => `=?utf-8?B?${Buffer.from(part).toString('base64')}?=`).join(' ')
}

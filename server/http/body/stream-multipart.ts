import type { FileInfo } from '../wire/http-types.ts'
import { bodyTooLarge, tooManyFields } from '../wire/wire-refusals.ts'
import { MAX_FIELDS } from './form.ts'
import { malformed, type PartHead, readPartHead, requireBoundary } from './multipart.ts'

/** The most bytes that the headers of a part may have, and all text parts together. */
const MAX_HEADERS = 16 * 1024
const MAX_TEXT = 1024 * 1024

const LINE_END = Buffer.from('\r\n')
const BLANK_LINE = '\r\n\r\n'

/**
 * The files of a `multipart/form-data` body that arrives in chunks, each as its head followed by its bytes; what is
 * held at a time is one chunk and the longest headers. Text parts are added to `fields`. Refuses a body that does not
 * keep to the format.
 */
export async function* streamFiles(
  chunks: AsyncIterable<Buffer>,
  contentType: string,
  fields: Map<string, string>,
): AsyncGenerator<FileInfo | Buffer> {
  let texts = 0
  let count = 0
  let text: { field: string; pieces: Buffer[] } | null = null
  const keepText = () => {
    if (text !== null) fields.set(text.field, Buffer.concat(text.pieces).toString())
    text = null
  }
  for await (const piece of streamParts(chunks, requireBoundary(contentType))) {
    if (!Buffer.isBuffer(piece)) {
      keepText()
      if (++count > MAX_FIELDS) throw tooManyFields({ limit: MAX_FIELDS })
      const { field, fileName } = piece
      if (fileName === undefined) text = { field, pieces: [] }
      else yield { ...piece, fileName }
    } else if (text === null) yield piece
    else {
      texts += piece.length
      if (texts > MAX_TEXT) throw bodyTooLarge({ limit: MAX_TEXT })
      text.pieces.push(piece)
    }
  }
  keepText()
}

/** Each part as its head followed by its bytes; text before the first delimiter and after the last is passed over. */
async function* streamParts(chunks: AsyncIterable<Buffer>, boundary: string): AsyncGenerator<PartHead | Buffer> {
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1')
  const arriving = chunks[Symbol.asyncIterator]()
  // As if a line had ended before: a body may begin with its delimiter.
  let held: Buffer = LINE_END
  const more = async (complaint: string) => {
    const { done, value } = await arriving.next()
    if (done) throw malformed(complaint)
    held = Buffer.concat([held, value])
  }

  /** What lies before the next delimiter, in pieces; `held` begins behind it then. */
  async function* toDelimiter(complaint: string): AsyncGenerator<Buffer> {
    for (let at = held.indexOf(delimiter); ; at = held.indexOf(delimiter)) {
      const isFound = at !== -1
      // The end may be the beginning of a delimiter.
      const end = isFound ? at : Math.max(0, held.length - delimiter.length + 1)
      if (end > 0) yield held.subarray(0, end)
      held = held.subarray(isFound ? end + delimiter.length : end)
      if (isFound) return
      await more(complaint)
    }
  }

  try {
    for await (const _preamble of toDelimiter('its boundary does not occur in it'));
    for (;;) {
      while (held.length < 2) await more('it ends within a part')
      if (held.toString('latin1', 0, 2) === '--') break
      yield await readHead()
      yield* toDelimiter('it ends within a part')
    }
    while (!(await arriving.next()).done);
  } finally {
    await arriving.return?.()
  }

  async function readHead(): Promise<PartHead> {
    let end = held.indexOf(BLANK_LINE)
    while (end === -1 && held.length <= MAX_HEADERS) {
      await more('it ends within the headers of a part')
      end = held.indexOf(BLANK_LINE)
    }
    if (end === -1 || end > MAX_HEADERS) throw malformed('the headers of a part are too long')
    const head = readPartHead(held.toString('utf8', 0, end))
    // The blank line belongs to the delimiter where a part has no bytes at all.
    const start = end + LINE_END.length
    while (held.length < start + delimiter.length) await more('it ends within a part')
    const isEmpty = held.subarray(start, start + delimiter.length).equals(delimiter)
    held = held.subarray(isEmpty ? start : end + BLANK_LINE.length)
    return head
  }
}

import type { FileInfo, UploadedFile } from '../wire/http-types.ts'
import { bodyTooLarge, tooManyFields } from '../wire/wire-refusals.ts'
import { MAX_FIELDS } from './form.ts'
import { MultipartParser } from './multipart-parser.ts'

/**
 * The size limits of a body that is parsed while it arrives, in bytes: the headers of a part, and all text fields
 * together.
 */
const MAX_HEADERS = 16 * 1024
const MAX_TEXT = 1024 * 1024

/**
 * Adds the text fields of a `multipart/form-data` body to `fields`, and returns the files. `counted` is the number of
 * fields that were found before. The bytes of the files share the memory of the body. A malformed body is refused.
 */
export function parseMultipart(
  body: Buffer,
  contentType: string,
  fields: Map<string, string>,
  counted: number,
): UploadedFile[] {
  const files: UploadedFile[] = []
  const parser = new MultipartParser(contentType)
  if (body.length === 0) return files
  if (parser.hasMoreParts(body, MAX_FIELDS - counted)) throw tooManyFields({ limit: MAX_FIELDS })
  let count = counted
  let keepPart = (_bytes: Buffer) => {}
  let bytes: Buffer = Buffer.alloc(0)
  for (const piece of parser.push(body)) {
    if (Buffer.isBuffer(piece)) {
      bytes = piece
      continue
    }
    keepPart(bytes)
    if (++count > MAX_FIELDS) throw tooManyFields({ limit: MAX_FIELDS })
    const { field, fileName, contentType: type } = piece
    bytes = Buffer.alloc(0)
    keepPart = (bytes) => {
      if (fileName === undefined) fields.set(field, bytes.toString())
      else files.push({ field, fileName, contentType: type, bytes })
    }
  }
  parser.end()
  keepPart(bytes)
  return files
}

/**
 * Returns the files of a `multipart/form-data` body that arrives in chunks, each as its description followed by its
 * bytes. Text fields are added to `fields`. A malformed body is refused.
 */
export async function* streamFiles(
  chunks: AsyncIterable<Buffer>,
  contentType: string,
  fields: Map<string, string>,
): AsyncGenerator<FileInfo | Buffer> {
  const parser = new MultipartParser(contentType, MAX_HEADERS)
  let textLength = 0
  let count = 0
  let text: { field: string; pieces: Buffer[] } | null = null
  const keepText = () => {
    if (text !== null) fields.set(text.field, Buffer.concat(text.pieces).toString())
    text = null
  }
  for await (const chunk of chunks) {
    for (const piece of parser.push(chunk)) {
      if (!Buffer.isBuffer(piece)) {
        keepText()
        if (++count > MAX_FIELDS) throw tooManyFields({ limit: MAX_FIELDS })
        const { field, fileName } = piece
        if (fileName === undefined) text = { field, pieces: [] }
        else yield { ...piece, fileName }
      } else if (text === null) yield piece
      else {
        textLength += piece.length
        if (textLength > MAX_TEXT) throw bodyTooLarge({ limit: MAX_TEXT })
        text.pieces.push(piece)
      }
    }
  }
  parser.end()
  keepText()
}

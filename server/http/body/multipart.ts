import type { UploadedFile } from '../wire/http-types.ts'
import { malformedMultipart, tooManyFields } from '../wire/wire-refusals.ts'
import { decodeFormText, MAX_FIELDS } from './form.ts'

/**
 * Adds the text parts of a `multipart/form-data` body to `fields`, of which `counted` were met before, and returns the
 * file parts; their bytes share the body's memory. Refuses a body that does not keep to the format.
 */
export function readMultipart(
  body: Buffer,
  formType: string,
  fields: Map<string, string>,
  counted: number,
): UploadedFile[] {
  const files: UploadedFile[] = []
  let count = counted
  for (const { headers, bytes } of parts(body, requireBoundary(formType))) {
    if (++count > MAX_FIELDS) throw tooManyFields({ limit: MAX_FIELDS })
    const { field, fileName, contentType } = headOf(headers)
    if (fileName === undefined) fields.set(field, bytes.toString())
    else files.push({ field, fileName, contentType, bytes })
  }
  return files
}

export const malformed = (complaint: string) => malformedMultipart({ complaint })

/** What the headers of a part say; a part without a file name is text. */
export type PartHead = { readonly field: string; readonly fileName: string | undefined; readonly contentType: string }

/** From the lines between a delimiter and the empty line. The line of the delimiter may come first, with its padding. */
export function readPartHead(text: string): PartHead {
  const lineEnd = text.indexOf('\r\n')
  if (!/^[ \t]*$/.test(lineEnd === -1 ? text : text.slice(0, lineEnd)))
    throw malformed('a delimiter is not followed by a new line')
  return headOf(readHeaders(lineEnd === -1 ? '' : text.slice(lineEnd + 2)))
}

function headOf(headers: ReadonlyMap<string, string>): PartHead {
  const disposition = headers.get('content-disposition') ?? ''
  const field = parameterOf(disposition, 'name')
  if (field === undefined) throw malformed('a part has no name')
  const contentType = headers.get('content-type') ?? 'application/octet-stream'
  return { field, fileName: fileNameOf(disposition), contentType }
}

export function requireBoundary(contentType: string): string {
  const boundary = parameterOf(contentType, 'boundary')
  if (boundary === undefined || boundary === '' || boundary.length > 200) throw malformed('it has no usable boundary')
  return boundary
}

type Part = { headers: Map<string, string>; bytes: Buffer }

/** What lies between the delimiters; text before the first and after the last is passed over. */
function* parts(body: Buffer, boundary: string): Generator<Part> {
  if (body.length === 0) return
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1')
  const opening = delimiter.subarray(2)
  let at = body.subarray(0, opening.length).equals(opening) ? opening.length : after(body, delimiter, 0)
  if (at === -1) throw malformed('its boundary does not occur in it')

  while (!isText(body, at, '--')) {
    at = skipPadding(body, at)
    if (!isText(body, at, '\r\n')) throw malformed('a delimiter is not followed by a new line')
    const headersEnd = body.indexOf('\r\n\r\n', at, 'latin1')
    if (headersEnd === -1) throw malformed('it ends within the headers of a part')
    const next = after(body, delimiter, headersEnd + 2)
    if (next === -1) throw malformed('it ends within a part')
    const start = headersEnd + 4
    yield {
      headers: readHeaders(body.toString('utf8', at + 2, headersEnd)),
      bytes: body.subarray(start, Math.max(start, next - delimiter.length)),
    }
    at = next
  }
}

/** Where the delimiter ends that is next found from `from` on, or -1. */
function after(body: Buffer, delimiter: Buffer, from: number): number {
  const found = body.indexOf(delimiter, from)
  return found === -1 ? -1 : found + delimiter.length
}

const isText = (body: Buffer, at: number, text: string) => body.toString('latin1', at, at + text.length) === text

function skipPadding(body: Buffer, at: number): number {
  let end = at
  while (body[end] === 0x20 || body[end] === 0x09) end += 1
  return end
}

function readHeaders(text: string): Map<string, string> {
  const headers = new Map<string, string>()
  for (const line of text.split('\r\n')) {
    const colon = line.indexOf(':')
    if (colon > 0) headers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim())
  }
  return headers
}

/** Undefined for a part that is no file. A name in the extended notation (RFC 8187) goes before the plain one. */
function fileNameOf(disposition: string): string | undefined {
  const [, encoded] = /^utf-8'[^']*'(.*)$/i.exec(parameterOf(disposition, 'filename*') ?? '') ?? []
  return encoded === undefined ? parameterOf(disposition, 'filename') : decodeFormText(encoded.replaceAll('+', '%2B'))
}

/** The value of `; name=value` or `; name="value"` in a header, undefined when it is absent. */
function parameterOf(header: string, name: string): string | undefined {
  for (const [, key, quoted, bare] of header.matchAll(PARAMETER)) {
    if (key?.toLowerCase() === name) return quoted === undefined ? bare?.trim() : withoutEscapes(quoted)
  }
  return undefined
}

/** A closing quote may be missing: were it required, many open ones would each search the whole rest. */
const PARAMETER = /;\s*([^=;\s"]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"?|([^;]*))/gs

/** Browsers write a quote as %22 and line ends as %0D%0A; other clients put a backslash before it. */
const withoutEscapes = (text: string) =>
  text.replace(/\\(["\\])|%(22|0D|0A)/g, (_, escaped: string | undefined, hex: string) =>
    escaped === undefined ? String.fromCharCode(Number.parseInt(hex, 16)) : escaped,
  )

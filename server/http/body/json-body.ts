import type { HttpRequest, JsonKind } from '../http-types.ts'
import { endOfString, MAX_FIELDS } from '../params.ts'
import { malformedJson, tooManyFields } from '../refusals.ts'
import { METHODS_WITH_BODY } from './read-body.ts'

/**
 * The content type of bodies whose parameters are a JSON object. It is not `application/json`, because the API ignores
 * parameters in such bodies, and some clients test for that.
 */
export const JSON_BODY = 'application/vnd.parley+json'

type JsonFields = Required<Pick<HttpRequest, 'body' | 'jsonKinds'>>

/**
 * Returns the request with the parameters of its JSON body, if it has one. Only a body of the type `JSON_BODY` is read:
 * browsers send this type to another site only after a preflight.
 */
export function withJsonBody(request: HttpRequest): HttpRequest {
  const { rawBody, body, method, headers, query } = request
  if (rawBody.length === 0 || body.size > 0 || !METHODS_WITH_BODY.has(method)) return request
  if (!isJson(headers['content-type'])) return request
  return { ...request, ...parseJsonBody(rawBody.toString(), query.size) }
}

function isJson(contentType: string | undefined): boolean {
  return contentType?.split(';', 1)[0]?.trim().toLowerCase() === JSON_BODY
}

/**
 * Splits a JSON object into parameters. `counted` is the number of parameters that were found before. Strings become
 * the text of a parameter. Other values keep their JSON, so that they are checked like the JSON in a form. If a name
 * occurs several times, the last value counts.
 */
export function parseJsonBody(text: string, counted: number): JsonFields {
  const body = new Map<string, string>()
  const jsonKinds = new Map<string, JsonKind>()
  let count = counted
  let at = skipSpace(text, 0)
  if (text[at] !== '{') throw malformedJson({ complaint: 'it is not an object' })
  at = skipSpace(text, at + 1)
  while (text[at] !== '}' || count > counted) {
    if (++count > MAX_FIELDS) throw tooManyFields({ limit: MAX_FIELDS })
    const nameEnd = endOfString(text, at) + 1
    const name = readString(text.slice(at, nameEnd))
    if (name === null) throw malformedJson({ complaint: 'a name is missing or not a string' })
    at = skipSpace(text, nameEnd)
    if (text[at] !== ':') throw malformedJson({ complaint: 'a name is not followed by a colon' })

    const valueEnd = endOfValue(text, at + 1)
    const value = text.slice(at + 1, valueEnd).trim()
    const string = readString(value)
    body.set(name, string ?? value)
    jsonKinds.set(name, string === null ? 'value' : 'string')
    if (valueEnd === text.length) throw malformedJson({ complaint: 'it ends within the object' })
    at = valueEnd
    if (text[at] === '}') break
    at = skipSpace(text, at + 1)
  }
  if (skipSpace(text, at + 1) < text.length) throw malformedJson({ complaint: 'something follows the object' })
  return { body, jsonKinds }
}

function skipSpace(text: string, start: number): number {
  let at = start
  while (at < text.length && ' \t\n\r'.includes(text[at] as string)) at += 1
  return at
}

/** Returns the value of a JSON string, with lone surrogates replaced; null for all other JSON. */
function readString(json: string): string | null {
  if (json[0] !== '"') return null
  try {
    return String(JSON.parse(json)).toWellFormed()
  } catch {
    return null
  }
}

/** Returns the position of the comma or brace that ends the value, or the end of the text. */
function endOfValue(text: string, start: number): number {
  let depth = 0
  for (let at = start; at < text.length; at += 1) {
    const character = text[at]
    if (character === '"') at = endOfString(text, at)
    else if (character === '[' || character === '{') depth += 1
    else if (depth === 0 && (character === ',' || character === '}')) return at
    else if (character === ']' || character === '}') depth -= 1
  }
  return text.length
}

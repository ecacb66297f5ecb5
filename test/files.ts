import { readdir } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { Readable } from 'node:stream'
import type { Body, Chat, Person } from './harness.ts'

export type TestFile = { name?: string; bytes: Buffer | string }

/** Returns the headers with which a person sends requests outside the API. */
export function credentials(person: Person): Record<string, string> {
  const subdomain = person.realm.subdomain === '' ? '' : `${person.realm.subdomain}.`
  const authorization = `Basic ${Buffer.from(`${person.email}:${person.apiKey}`).toString('base64')}`
  return { host: `${subdomain}parley.test`, authorization }
}

/** Returns a multipart body with each of these files in its own field. */
export function filesForm(files: readonly TestFile[]): { type: string; body: Buffer } {
  const parts = files.flatMap(({ name = 'note.txt', bytes }, index) => [
    Buffer.from(`--a-boundary\r\nContent-Disposition: form-data; name="f${index}"; filename="${name}"\r\n\r\n`),
    Buffer.from(bytes as string),
    Buffer.from('\r\n'),
  ])
  const body = Buffer.concat([...parts, Buffer.from('--a-boundary--\r\n')])
  return { type: 'multipart/form-data; boundary=a-boundary', body }
}

/** Sends the files to an endpoint. */
export async function sendFiles(chat: Chat, person: Person, path: string, ...files: TestFile[]): Promise<Body> {
  const { type, body } = filesForm(files)
  const headers = { ...credentials(person), 'content-type': type }
  const answer = await chat.request({ method: 'POST', path: `/api/v1${path}`, headers, body })
  return { status: answer.status, ...JSON.parse(answer.body) }
}

/** Uploads a file and returns its URL. */
export async function upload(chat: Chat, person: Person, file: TestFile = { bytes: 'hello' }): Promise<string> {
  const answer = await sendFiles(chat, person, '/user_uploads', file)
  if (answer.result !== 'success') throw new Error(answer.msg)
  return answer['url']
}

/** Returns the response for a path outside the API; without credentials if `person` is null. */
export function fetchPage(chat: Chat, path: string, person: Person | null, headers: Record<string, string> = {}) {
  const own = person === null ? { host: 'parley.test' } : credentials(person)
  return chat.request({ method: 'GET', path, headers: { ...own, ...headers } })
}

/** Returns the names of all stored files of a kind, on disk or in its replacement. */
export async function storedFiles(chat: Chat, folder = 'uploads'): Promise<string[]> {
  return Readable.from(chat.app.services.files.list(folder)).toArray()
}

/** Returns the files in a folder by their paths relative to it. */
export async function namesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => relative(folder, join(entry.parentPath, entry.name)))
}

import { hash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, readdir, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { FilesUnavailable } from '#lib/errors.ts'
import type { Log } from '#lib/log.ts'
import type { XmlElement } from '#lib/xml.ts'
import {
  checkedName,
  type FileStore,
  type FileWriter,
  finishedName,
  isStoredName,
  OWN_MARK,
  UNFINISHED_SUFFIX,
} from '../files.ts'
import { type S3Body, type S3Client, S3Missing } from './client.ts'
import { Spool } from './spool.ts'

/**
 * The size of the parts of a large file, in bytes. Smaller files are sent in one request. A file has at most 10,000
 * parts, which are equal for stores that ask for it.
 */
const PART_SIZE = 32 * 1024 ** 2

/** The maximum number of times that the reading of a file continues after the connection broke off. */
const MAX_CONTINUATIONS = 4

/** Seconds after which files of the work folder are remains of a killed process. */
const REMAINS_AGE = 86_400

type S3FilesOptions = {
  client: S3Client
  /** The folder for bytes on their way. */
  workFolder: string
  /** The current time of the machine, in UNIX seconds. */
  now: () => number
  log: Log
}

/** Returns the files below the prefix of a bucket. Unfinished files are the multipart uploads that have not ended. */
export function filesInS3({ client, workFolder, now, log }: S3FilesOptions): FileStore {
  /** The names of this process's unfinished multipart uploads, as `list` has them. */
  const unfinished = new Set<string>()
  let begun = 0
  let hasListedUploads = true
  void deleteRemains(workFolder, now()).catch((error: unknown) => log.warn({ err: error }, 'Failed to clean up'))

  const put = (name: string, body: S3Body) =>
    client.sendForBytes({ method: 'PUT', name, body, headers: { 'content-type': 'application/octet-stream' } })

  const spool = () => new Spool(workFolder, `${OWN_MARK}-${begun++}`)

  async function create(given: string): Promise<FileWriter> {
    const name = checkedName(given)
    const bytes = spool()
    let upload: { id: string; mark: string; parts: string[] } | null = null

    async function sendPart(): Promise<void> {
      if (upload === null) {
        const id = await startUpload(name)
        upload = { id, mark: unfinishedName(name, id), parts: [] }
        unfinished.add(upload.mark)
      }
      const query = { partNumber: String(upload.parts.length + 1), uploadId: upload.id }
      const { response } = await client.sendForBytes({ method: 'PUT', name, query, body: bytes.toBody() })
      upload.parts.push(String(response.headers.etag))
      await bytes.empty()
    }

    async function abandon(): Promise<void> {
      await bytes.close()
      if (upload === null) return
      unfinished.delete(upload.mark)
      await abortUpload(name, upload.id).catch((error: unknown) =>
        log.warn({ err: error }, 'An unfinished upload is still in the file store. The daily cleanup deletes it'),
      )
    }

    return {
      async write(piece) {
        let rest = piece
        while (bytes.size + rest.length > PART_SIZE) {
          const room = PART_SIZE - bytes.size
          await bytes.write(rest.subarray(0, room))
          rest = rest.subarray(room)
          await sendPart()
        }
        await bytes.write(rest)
      },
      async finish() {
        try {
          if (upload === null) await put(name, bytes.toBody())
          else {
            await sendPart()
            await completeUpload(name, upload.id, upload.parts)
            unfinished.delete(upload.mark)
          }
        } catch (error) {
          await abandon()
          throw error
        }
        await bytes.close()
      },
      abandon,
    }
  }

  async function startUpload(name: string): Promise<string> {
    const root = await client.sendForXml(
      { method: 'POST', name, query: { uploads: '' }, headers: { 'content-type': 'application/octet-stream' } },
      'InitiateMultipartUploadResult',
    )
    return childText(root, 'UploadId')
  }

  async function completeUpload(name: string, uploadId: string, parts: readonly string[]): Promise<void> {
    const list = parts.map(
      (etag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${escapeXml(etag)}</ETag></Part>`,
    )
    const document = Buffer.from(`<CompleteMultipartUpload>${list.join('')}</CompleteMultipartUpload>`)
    const request = { method: 'POST', name, query: { uploadId }, body: toBody(document) } as const
    try {
      await client.sendForXml(request, 'CompleteMultipartUploadResult')
    } catch (error) {
      // The first of two attempts may have been successful without an answer.
      if (!(error instanceof S3Missing) || (await findSize(name)) === null) throw error
    }
  }

  async function abortUpload(name: string, uploadId: string): Promise<void> {
    try {
      await client.sendForBytes({ method: 'DELETE', name, query: { uploadId } })
    } catch (error) {
      if (!(error instanceof S3Missing)) throw error
    }
  }

  async function findSize(name: string): Promise<number | null> {
    const found = await unlessMissing(client.sendForBytes({ method: 'HEAD', name: checkedName(name) }))
    return found === null ? null : Number(found.response.headers['content-length'])
  }

  async function* read(name: string, { start, end }: { start: number; end: number }, signal: AbortSignal) {
    let at = start
    for (let failures = 0; at < end; ) {
      const headers = { range: `bytes=${at}-${end - 1}` }
      const response = await client.send({ method: 'GET', name, headers, signal })
      const before = at
      try {
        for await (const piece of client.readInTime(response)) {
          at += piece.length
          yield piece
        }
        if (at < end) throw new Error(`The store sent ${at - before} bytes in place of ${end - before}`)
      } catch (error) {
        signal.throwIfAborted()
        if (at === before) failures += 1
        if (failures > MAX_CONTINUATIONS) throw client.brokenOff(error)
      }
    }
  }

  function stream(name: string, range: { start: number; end: number }) {
    checkedName(name)
    const stop = new AbortController()
    const body = new PassThrough({
      destroy(error, done) {
        stop.abort()
        done(error)
      },
    })
    // An error destroys `body`, whose reader gets it.
    void pipeline(read(name, range, stop.signal), body).catch(() => {})
    return body
  }

  async function* listObjects(folder: string): AsyncGenerator<string> {
    for (let token: string | null = ''; token !== null; ) {
      const query = {
        'list-type': '2',
        prefix: client.keyOf(`${folder}/`),
        ...(token !== '' && { 'continuation-token': token }),
      }
      const page = await client.sendForXml({ method: 'GET', name: null, query }, 'ListBucketResult')
      for (const entry of childrenOf(page, 'Contents')) {
        const name = client.nameOf(childText(entry, 'Key'))
        if (name !== null && isStoredName(name)) yield name
      }
      token = childText(page, 'IsTruncated') === 'true' ? childText(page, 'NextContinuationToken') : null
    }
  }

  async function* listUploads(folder: string): AsyncGenerator<string> {
    for (let marker: Record<string, string> | null = {}; marker !== null; ) {
      const query = { uploads: '', prefix: client.keyOf(`${folder}/`), ...marker }
      const page = await client.sendForXml({ method: 'GET', name: null, query }, 'ListMultipartUploadsResult')
      for (const entry of childrenOf(page, 'Upload')) {
        const name = client.nameOf(childText(entry, 'Key'))
        if (name === null || !isStoredName(name)) continue
        const mark = unfinishedName(name, childText(entry, 'UploadId'))
        if (!unfinished.has(mark)) yield mark
      }
      marker =
        childText(page, 'IsTruncated') === 'true'
          ? {
              'key-marker': childText(page, 'NextKeyMarker'),
              'upload-id-marker': childText(page, 'NextUploadIdMarker'),
            }
          : null
    }
  }

  return {
    create,
    stream,
    findSize,
    save: async (name, bytes) => void (await put(checkedName(name), toBody(bytes))),
    async read(name) {
      const found = await unlessMissing(client.sendForBytes({ method: 'GET', name: checkedName(name) }))
      return found?.bytes ?? null
    },
    async withSource(name, use) {
      const size = await findSize(name)
      if (size === null) return null
      await mkdir(workFolder, { recursive: true, mode: 0o700 })
      const path = join(workFolder, `${OWN_MARK}-${begun++}`)
      try {
        await pipeline(stream(name, { start: 0, end: size }), createWriteStream(path, { flags: 'wx', mode: 0o600 }))
        return await use(path)
      } finally {
        await rm(path, { force: true })
      }
    },
    async findFreeSpace() {
      await mkdir(workFolder, { recursive: true, mode: 0o700 })
      const { bavail, bsize } = await statfs(workFolder)
      return bavail * bsize
    },
    async delete(name) {
      checkedName(finishedName(name))
      if (!name.endsWith(UNFINISHED_SUFFIX)) await client.sendForBytes({ method: 'DELETE', name })
      else {
        const [, target, id] = UNFINISHED.exec(name) ?? []
        if (target !== undefined) await abortUpload(target, Buffer.from(id!, 'base64url').toString())
      }
    },
    async *list(name) {
      checkedName(name)
      yield* listObjects(name)
      try {
        if (hasListedUploads) yield* listUploads(name)
      } catch (error) {
        if (!(error instanceof FilesUnavailable) || error.isTemporary) throw error
        hasListedUploads = false
        log.warn({ reason: error.message }, 'Unfinished uploads cannot be listed. Let a rule of the bucket delete them')
      }
    },
    failingSince: () => client.failingSince,
    async signUrl(name, { contentType, disposition, caching, ...validity }) {
      const query = {
        'response-content-type': contentType,
        'response-content-disposition': disposition,
        'response-cache-control': caching,
      }
      return client.signUrl(checkedName(name), query, validity)
    },
    async check() {
      const query = { 'list-type': '2', 'max-keys': '1', prefix: client.keyOf('') }
      await client.sendForXml({ method: 'GET', name: null, query }, 'ListBucketResult')
    },
  }
}

const UNFINISHED = /^(.*)\.upload-([\w-]+)~$/

const unfinishedName = (name: string, uploadId: string) =>
  `${name}.upload-${Buffer.from(uploadId).toString('base64url')}${UNFINISHED_SUFFIX}`

const toBody = (bytes: Buffer): S3Body => ({ size: bytes.length, sha256: hash('sha256', bytes), open: () => bytes })

const childrenOf = ({ children }: XmlElement, name: string) => children.filter((child) => child.name === name)

const childText = (element: XmlElement, name: string) => childrenOf(element, name)[0]?.text ?? ''

const escapeXml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

async function unlessMissing<Value>(found: Promise<Value>): Promise<Value | null> {
  try {
    return await found
  } catch (error) {
    if (error instanceof S3Missing) return null
    throw error
  }
}

async function deleteRemains(folder: string, now: number): Promise<void> {
  const names = await readdir(folder).catch(() => [])
  for (const name of names) {
    const path = join(folder, name)
    const found = await stat(path).catch(() => null)
    if (found?.isFile() && found.mtimeMs / 1000 < now - REMAINS_AGE) await rm(path, { force: true })
  }
}

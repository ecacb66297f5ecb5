import { createHmac, type KeyObject } from 'node:crypto'
import type { Viewer } from '#groups/viewer.ts'
import { refusal } from '#lib/errors.ts'
import { equalSecrets } from '#lib/secrets.ts'
import type { Realm } from '#realms/realm.ts'
import type { Db } from '#storage/storage.ts'
import type { Attachment } from '../attachments.ts'
import { findReadableAttachments, findWebPublicAttachment } from './claims.ts'

export const noSuchFile = refusal('NOT_FOUND', 404, 'This file does not exist or has been deleted.')

/** Returns the file if the actor may read it. Otherwise, refuses it like a missing file. */
export async function requireReadableFile(viewer: Viewer, pathId: string): Promise<Attachment> {
  const [attachment] = await findReadableAttachments(viewer, [pathId])
  if (attachment === undefined) throw noSuchFile()
  return attachment
}

/** Returns the file if it can be read without an account. */
export async function findPublicFile(db: Db, realm: Realm | null, pathId: string): Promise<Attachment | null> {
  return realm === null ? null : findWebPublicAttachment(db, realm, pathId)
}

const invalidToken = refusal('BAD_REQUEST', 400, 'Invalid token')
const invalidFilename = refusal('BAD_REQUEST', 400, 'Invalid filename')

/** Seconds until a temporary URL expires. */
const LIFETIME = 60

/**
 * Returns a URL that opens the file for a minute without credentials. The caller must have checked that the user may
 * read the file.
 */
export function temporaryUrl(secret: KeyObject, pathId: string, now: number): string {
  const claim = Buffer.from(`${Math.floor(now) + LIFETIME} ${pathId}`).toString('base64url')
  return `/user_uploads/temporary/${claim}.${signature(secret, claim)}/${lastPart(pathId)}`
}

/** Returns the path of the file that the token opens. Refuses invalid and expired tokens. */
export function requireTemporaryPathId(secret: KeyObject, token: string, fileName: string, now: number): string {
  const [claim = '', signed = ''] = token.split('.')
  if (!equalSecrets(signed, signature(secret, claim))) throw invalidToken()
  const [, expiresAt, pathId = ''] = /^(\d+) (.*)$/s.exec(Buffer.from(claim, 'base64url').toString()) ?? []
  if (Number(expiresAt) < now) throw invalidToken()
  if (fileName !== lastPart(pathId)) throw invalidFilename()
  return pathId
}

const signature = (secret: KeyObject, claim: string) =>
  createHmac('sha256', secret).update(`temporary file ${claim}`).digest('base64url')

const lastPart = (pathId: string) => pathId.slice(pathId.lastIndexOf('/') + 1)

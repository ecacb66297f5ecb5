import { notFound } from '#http/refusals.ts'
import type { HttpRequest, HttpResponse } from '#http/wire/http-types.ts'
import { wireRefusalResponse } from '#http/wire/wire-refusals.ts'
import { contentTypeOf, type ImageType } from '#lib/encoding/image-type.ts'
import type { FileStore } from '#storage/files/files.ts'
import { EMOJI } from '#storage/files/folders.ts'

/** Returns the path of an emoji's picture in the file store. */
export const emojiFilePath = (realmId: number, fileName: string) => `${EMOJI}/${realmId}/${fileName}`

const IMAGE =
  /^\/user_avatars\/(?<realm>[0-9]{1,15})\/emoji\/images\/(?<file>(?:still\/)?[0-9a-f]{40}\.(?<type>png|gif|jpg|webp))$/

/**
 * Returns a handler that serves the pictures of custom emoji, and returns null for all other paths. It requires no
 * login, because the file names cannot be guessed.
 */
export function emojiImagePages(files: FileStore): (request: HttpRequest) => Promise<HttpResponse> | null {
  return ({ method, path }) => {
    const found = method === 'GET' || method === 'HEAD' ? IMAGE.exec(path)?.groups : undefined
    if (found === undefined) return null
    const { realm, file, type } = found as { realm: string; file: string; type: ImageType['extension'] }
    return serve(files, emojiFilePath(Number(realm), file), type)
  }
}

async function serve(files: FileStore, name: string, type: ImageType['extension']): Promise<HttpResponse> {
  const bytes = await files.read(name)
  if (bytes === null) return wireRefusalResponse(notFound())
  const headers = {
    'content-type': contentTypeOf(type),
    // This is safe, because a file name is never reused for another picture.
    'cache-control': 'public, max-age=31536000, immutable',
  }
  return { status: 200, headers, body: bytes }
}

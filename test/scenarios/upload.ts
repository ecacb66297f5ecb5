import { crc32, deflateSync } from 'node:zlib'
import { basic } from './answers.ts'
import type { Server } from './server.ts'
import type { Answer } from './wire.ts'
import type { Person, World } from './world.ts'

/** Returns an image of 8 by 8 gray pixels. */
export function picture(grey: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data])
    const sum = Buffer.alloc(4)
    sum.writeUInt32BE(crc32(body))
    const length = Buffer.alloc(4)
    length.writeUInt32BE(data.length)
    return Buffer.concat([length, body, sum])
  }
  const header = Buffer.from([0, 0, 0, 8, 0, 0, 0, 8, 8, 0, 0, 0, 0])
  const rows = Buffer.concat(Array.from({ length: 8 }, () => Buffer.from([0, ...Array<number>(8).fill(grey)])))
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  const end = chunk('IEND', Buffer.alloc(0))
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), end])
}

/** Uploads an image as a browser's form would. */
export function upload(server: Server, world: World, person: Person, path: string, file: Buffer): Promise<Answer> {
  const head =
    '--edge\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n'
  return server.request({
    method: 'POST',
    path: `/api/v1${path}`,
    host: world.host,
    headers: {
      authorization: basic(person.email, person.apiKey),
      'content-type': 'multipart/form-data; boundary=edge',
    },
    body: Buffer.concat([Buffer.from(head), file, Buffer.from('\r\n--edge--\r\n')]),
  })
}

import assert from 'node:assert/strict'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { FilesUnavailable } from '#lib/errors.ts'
import { openFilesThrough, openWire, startVersitygw, type Versitygw, versitygwAbsent } from '../../../test/versitygw.ts'

const options = { skip: versitygwAbsent }

let started: Promise<Versitygw> | undefined

async function openThroughWire() {
  started ??= startVersitygw()
  const store = await started
  const wire = await openWire(store.port)
  return { store, wire, files: await openFilesThrough(store, wire) }
}

const bytes = Buffer.from(Array.from({ length: 600_000 }, (_, at) => (at * 7) % 253))

test('a download continues as often as stalled connections bring a part of it', options, async () => {
  const { store, wire, files: patient } = await openThroughWire()
  await patient.save('uploads/a', bytes)
  const files = await openFilesThrough(store, wire, { idleTime: 0.5 })

  wire.behave('stalled', 6)
  const read = await buffer(files.stream('uploads/a', { start: 10, end: 500_000 }))

  assert.deepEqual(read, bytes.subarray(10, 500_000))
})

test(
  'a request is repeated while the store is overloaded, and fails as temporary if it stays so',
  options,
  async () => {
    const { files, wire } = await openThroughWire()

    wire.behave('failing', 2)
    await files.save('uploads/a', bytes)
    wire.behave('failing')
    const failure = await files.save('uploads/b', bytes).catch((error: unknown) => error)
    wire.behave('well')

    assert.ok(failure instanceof FilesUnavailable && failure.isTemporary)
    assert.match(failure.message, /^The bucket parley-files at http:\S+ answered PUT uploads\/b with 503/)
    assert.deepEqual(await files.read('uploads/a'), bytes)
    assert.equal(await files.findSize('uploads/b'), null)
    assert.equal(files.failingSince?.(), null)
  },
)

test('a failure after a status of 200 is repeated, and is temporary if it stays so', options, async () => {
  const { files, wire } = await openThroughWire()
  await files.save('uploads/a', bytes)
  const names = async () => {
    const found: string[] = []
    for await (const name of files.list('uploads')) found.push(name)
    return found
  }

  wire.behave('failing late', 1)
  const found = await names()
  wire.behave('failing late')
  const failure = await names().catch((error: unknown) => error)
  wire.behave('well')

  assert.deepEqual(found, ['uploads/a'])
  assert.ok(failure instanceof FilesUnavailable && failure.isTemporary, String(failure))
})

test('a list of more files than the store puts into one response is complete', options, async () => {
  const { store, wire, files } = await openThroughWire()
  const folder = join(store.bucketFolder, `wire-${wire.port}`)
  const names = Array.from({ length: 1001 }, (_, at) => `uploads/many/${1000 + at}`)
  await mkdir(join(folder, 'uploads/many'), { recursive: true })
  for (const name of names) await writeFile(join(folder, name), '')

  const found: string[] = []
  for await (const name of files.list('uploads/many')) found.push(name)

  assert.deepEqual(found, names)
})

test('bytes that change on their way are refused, and leave no file', options, async () => {
  const { files, wire } = await openThroughWire()

  wire.behave('damaging')
  await assert.rejects(files.save('uploads/a', bytes), FilesUnavailable)
  wire.behave('well')

  assert.equal(await files.findSize('uploads/a'), null)
})

test('a clock that differs from that of the store is named', options, async () => {
  const { store, wire } = await openThroughWire()
  const files = await openFilesThrough(store, wire, { skew: 3600 })

  // The store may close a connection before it has read a large body, so that its answer is lost.
  await assert.rejects(
    files.save('uploads/a', bytes.subarray(0, 100)),
    /The clock of this machine and that of the store .* differ by 60 minutes/,
  )
})

test('a bucket that was deleted is named, and counts as a failing store', options, async () => {
  const { files, store } = await openThroughWire()
  await files.save('uploads/a', bytes)

  await rename(store.bucketFolder, `${store.bucketFolder}-deleted`)
  await assert.rejects(files.findSize('uploads/a'), /^Error: There is no bucket parley-files at http:\S+. Create it/)
  const failingSince = files.failingSince?.()
  await rename(`${store.bucketFolder}-deleted`, store.bucketFolder)

  assert.ok(typeof failingSince === 'number')
  assert.deepEqual([await files.findSize('uploads/a'), await files.findSize('uploads/b')], [bytes.length, null])
  assert.equal(files.failingSince?.(), null)
})

test('one object that may not be read does not count as a failing store, and wrong keys do', options, async () => {
  const { files, store, wire } = await openThroughWire()
  await files.save('uploads/a', bytes)
  const stranger = await openFilesThrough(store, wire, { keys: { AWS_SECRET_ACCESS_KEY: 'wrong' } })

  wire.behave('forbidding')
  await assert.rejects(files.findSize('uploads/forbidden'), /The access key may not GET uploads\/forbidden/)
  const afterOne = files.failingSince?.()
  await assert.rejects(stranger.findSize('uploads/a'), /Check AWS_SECRET_ACCESS_KEY/)

  assert.equal(afterOne, null)
  assert.ok(typeof stranger.failingSince?.() === 'number')
})

test('a reader that goes away ends the request', options, async () => {
  const { files } = await openThroughWire()
  await files.save('uploads/a', bytes)

  const stream = files.stream('uploads/a', { start: 0, end: bytes.length })
  for await (const _ of stream) break

  assert.equal(stream.destroyed, true)
  assert.deepEqual(await files.read('uploads/a'), bytes)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RunTransaction } from '#storage/storage.ts'
import { sendFiles, storedFiles } from '../../../test/files.ts'
import { type Chat, startChat } from '../../../test/harness.ts'
import { movingPicture } from '../../../test/pictures.ts'

const DAY = 86_400

/** Makes each transaction reject after its commit, as if the connection ended before the outcome was known. */
function loseCommitOutcomes(chat: Chat): void {
  const services: { transaction: RunTransaction } = chat.app.services
  const { transaction } = services
  services.transaction = async (work, options) => {
    await transaction(work, options)
    throw new Error('the connection ended')
  }
}

for (const [file, path, folder] of [
  ['a file', '/user_uploads', 'uploads'],
  ['an avatar', '/users/me/avatar', 'avatars'],
  ['an emoji', '/realm/emoji/gull', 'emoji'],
] as const)
  test(`${file} with a row stays on disk if the outcome of the commit is unknown`, async () => {
    const chat = await startChat({ settings: { LOG_LEVEL: 'silent' } })
    const ben = await chat.user('ben')
    loseCommitOutcomes(chat)

    const response = await sendFiles(chat, ben, path, { name: 'a.gif', bytes: movingPicture })
    const stored = await storedFiles(chat, folder)
    for (let day = 0; day < 3; day++) await chat.clock.advance(DAY)

    assert.equal(response.status, 500)
    assert.ok(stored.length > 0)
    assert.deepEqual(await storedFiles(chat, folder), stored)
  })

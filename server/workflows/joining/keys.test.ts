import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { hashSecret, toBase32 } from '#lib/secrets.ts'
import type { Chat } from '../../../test/harness.ts'
import { accept, doConfirm, joinBy, keyOfInvitation, keyOfLink, startWithOwner } from '../../../test/joining.ts'

/** Gives the newest invitation a key in the old format, and returns this key. */
async function makeFormer({ app: { services } }: Chat): Promise<string> {
  return services.transaction(async (tx) => {
    const newest = tx.db.selectFrom('invitations').select(['id', 'keySeed']).orderBy('id', 'desc').limit(1)
    const { id, keySeed } = await newest.executeTakeFirstOrThrow()
    const digest = createHmac('sha256', services.secret).update(`invitation ${keySeed}`).digest()
    const key = toBase32(digest.subarray(0, 20))
    await tx
      .updateTable('invitations')
      .set({ formerKeyHash: hashSecret(key) })
      .where('id', '=', id)
      .execute()
    return key
  })
}

test('a key with one wrong character is invalid', async () => {
  const { chat, ada, browser } = await startWithOwner()
  const key = await keyOfLink(ada)

  for (let at = 0; at < key.length; at += 1) {
    const wrong = key.slice(0, at) + (key[at] === 'a' ? 'b' : 'a') + key.slice(at + 1)
    assert.equal(await accept(chat, wrong, { email: 'new@x.com' }), 'Invitation not found')
    assert.equal((await browser.open(joinBy(wrong))).status, 404)
  }
  assert.equal(await accept(chat, key, { email: 'new@x.com' }), 'in')
})

test('an invitation with a key in the old format can be resent and accepted with the same key', async () => {
  const { chat, ada, browser } = await startWithOwner()
  const presentKey = await keyOfInvitation(chat, ada, 'new@x.com')
  const key = await makeFormer(chat)
  const { invites } = await ada.succeed('GET /invites')
  await ada.succeed(`POST /invites/${invites[0].id}/resend`)

  const [first, second] = await chat.mail()
  assert.ok(first?.text.includes(presentKey))
  assert.ok(second?.text.includes(doConfirm(key)))
  assert.equal((await browser.open(doConfirm(key))).status, 200)
  assert.equal(await accept(chat, presentKey), 'Invitation not found')
  assert.equal(await accept(chat, key), 'in')
  assert.equal(await accept(chat, key), 'This invitation has been used')
})

test('a link with a key in the old format is shown and works unchanged', async () => {
  const { chat, ada } = await startWithOwner()
  await keyOfLink(ada)
  const key = await makeFormer(chat)

  const { invites } = await ada.succeed('GET /invites')

  assert.ok(invites[0].link_url.endsWith(joinBy(key)))
  assert.equal(await accept(chat, key, { email: 'new@x.com' }), 'in')
})

test('a key of either format is invalid in another organization', async () => {
  const { chat, ada } = await startWithOwner()
  const elsewhere = await chat.organization('elsewhere')
  const key = await keyOfLink(ada)
  const result = (tried: string) => accept(chat, tried, { email: 'new@x.com', realm: elsewhere })

  assert.equal(await result(key), 'Invitation not found')
  assert.equal(await result(await makeFormer(chat)), 'Invitation not found')
})

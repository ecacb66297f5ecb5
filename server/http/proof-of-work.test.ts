import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBrowser } from '../../test/browser.ts'
import { type Chat, startChat } from '../../test/harness.ts'
import { isSolution, PROOF_VALIDITY } from './proof-of-work.ts'

const BITS = 8

async function startWithPuzzles() {
  const chat = await startChat({ settings: { PROOF_OF_WORK: BITS }, limitsAttempts: true })
  await chat.user('ada')
  return chat
}

/** Returns a solved puzzle of the page, and a number that does not solve it. */
async function solve(chat: Chat, path: string) {
  const { body } = await openBrowser(chat).open(path)
  const [, nonce = ''] = /data-nonce="([^"]+)"/.exec(body) ?? []
  const [, challenge = ''] = /data-challenge="([^"]+)"/.exec(body) ?? []
  const find = (isWanted: boolean) => {
    let number = 0
    while (isSolution(nonce, BITS, String(number)) !== isWanted) number += 1
    return `${challenge} ${number}`
  }
  return { right: find(true), wrong: find(false) }
}

const post = (chat: Chat, path: string, proof: string) =>
  chat.request({
    method: 'POST',
    path,
    headers: { host: 'parley.test', 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ emails: 'ada@example.com', email: 'ada@example.com', proof }).toString(),
  })

test('a form is handled only with a solution of its own puzzle, and each solution counts once', async () => {
  const chat = await startWithPuzzles()
  const { right, wrong } = await solve(chat, '/accounts/find/')
  const { right: ofOtherForm } = await solve(chat, '/accounts/password/reset/')

  for (const proof of ['', 'x 1', wrong, ofOtherForm, right.replace(/ .*/, ' -1')])
    assert.equal((await post(chat, '/accounts/find/', proof)).status, 400, proof)
  assert.deepEqual(await chat.mail(), [])

  assert.equal((await post(chat, '/accounts/find/', right)).status, 200)
  assert.equal((await chat.mail()).length, 1)
  const { body } = await post(chat, '/accounts/find/', right)
  assert.match(body, /did not solve the puzzle/)
  assert.match(body, /<title>Something went wrong · Example<.*href="\/accounts\/find\/">Back to the form/s)
  assert.equal((await post(chat, '/accounts/password/reset/', ofOtherForm)).status, 200)
})

test('puzzles that the server did not make, made easier, or that have expired do not count', async () => {
  const chat = await startWithPuzzles()
  const { right } = await solve(chat, '/accounts/find/')
  const [challenge = '', number] = right.split(' ')
  const [payload = '', seal] = challenge.split('.')
  const content = JSON.parse(Buffer.from(payload, 'base64url').toString()) as unknown[]
  const easy = Buffer.from(JSON.stringify(content.with(2, 0))).toString('base64url')

  assert.equal((await post(chat, '/accounts/find/', `${easy}.${seal} ${number}`)).status, 400)
  await chat.clock.advance(PROOF_VALIDITY)
  assert.equal((await post(chat, '/accounts/find/', right)).status, 400)
})

test('without the setting, forms have no puzzle', async () => {
  const chat = await startChat()

  const page = await openBrowser(chat).open('/accounts/find/')

  assert.doesNotMatch(page.body, /proof/)
  assert.equal((await post(chat, '/accounts/find/', '')).status, 200)
})

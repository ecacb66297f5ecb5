import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BotType } from '#rules/role.ts'
import { sendFiles } from '../files.ts'
import { type Chat, type Person, startChat } from '../harness.ts'
import { sendToChannel } from '../messages.ts'
import { noResizing, picture } from '../pictures.ts'
import { sized } from '../size.ts'

/** Sends one expensive request; the number makes it different from all others. */
type Send = (chat: Chat, person: Person, number: number) => Promise<{ status: number }>

const search: Send = (_, person) =>
  person.call('GET /messages', { anchor: 'newest', num_before: 5000, num_after: 0, narrow: [['search', 'word']] })

const render: Send = (_, person, number) =>
  person.call('POST /messages/render', { content: `$$${'\\frac{'.repeat(50)}${number}${'}{2}'.repeat(50)}$$` })

const image = noResizing ? null : await picture(800, 800)

const uploadAvatar: Send = (chat, person) =>
  sendFiles(chat, person, '/users/me/avatar', { name: 'a.png', bytes: image ?? '' })

const invite: Send = (_, person, number) =>
  person.call('POST /invites', {
    invitee_emails: Array.from({ length: 5 }, (_, at) => `new${number}-${at}@example.com`).join(),
    stream_ids: [],
  })

const attacks: Record<string, { kinds: readonly Send[]; skip?: string | false }> = {
  searches: { kinds: [search] },
  renderings: { kinds: [render] },
  pictures: { kinds: [uploadAvatar], skip: noResizing },
  invitations: { kinds: [invite] },
  everything: { kinds: [search, render, ...(image === null ? [] : [uploadAvatar]), invite] },
}

/** Requests that bots cannot send. */
const FOR_PEOPLE = [uploadAvatar, invite]

/** Requests of the same user that may be answered before the request of another user. */
const MAX_AHEAD = 25

async function startWorld() {
  const chat = await startChat({ settings: { INVITES_MEMBER_DAILY_MAX: 1000 } })
  const [ben, mallory] = [await chat.user('ben'), await chat.user('mallory')]
  const accounts = [mallory]
  for (let count = 1; count <= 12; count += 1)
    accounts.push(await chat.user(`bot${count}`, { botType: BotType.generic, owner: mallory }))
  const channel = await chat.channel('general', [ben, ...accounts])
  for (let count = 0; count < sized(100, 2000); count += 1) await sendToChannel(ben, channel, `word ${count}`)
  chat.settings.RATE_LIMITING = true
  return { chat, ben, mallory, accounts }
}

for (const [what, { kinds, skip = false }] of Object.entries(attacks))
  test(`a member with twelve bots who floods the server with ${what} hardly delays others`, { skip }, async () => {
    const { chat, ben, mallory, accounts } = await startWorld()
    let succeeded = 0
    const flood = accounts.flatMap((account, at) =>
      Array.from({ length: 8 }, async (_, number) => {
        const send = kinds[number % kinds.length] as Send
        const { status } = await send(chat, FOR_PEOPLE.includes(send) ? mallory : account, at * 100 + number)
        if (status === 200) succeeded += 1
        return status
      }),
    )
    const ahead: number[] = []
    const ofBen = kinds.map(async (send) => {
      const { status } = await send(chat, ben, 9999)
      ahead.push(succeeded)
      return status
    })

    const statuses = new Set(await Promise.all(ofBen))
    const ofMallory = await Promise.all(flood)

    assert.deepEqual(statuses, new Set([200]))
    assert.ok(Math.max(...ahead) <= MAX_AHEAD, `${ahead} of ${flood.length}`)
    assert.ok(ofMallory.every((status) => [200, 400, 429].includes(status)))
    assert.ok(succeeded > 0)
  })

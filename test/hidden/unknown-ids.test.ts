import assert from 'node:assert/strict'
import test from 'node:test'
import { api } from '#api.ts'
import { Role } from '#rules/role.ts'
import { startChat } from '../harness.ts'
import { sendToChannel } from '../messages.ts'
import { type Kind, otherIds, probes } from './id-probes.ts'
import { createObjects, organizationState } from './objects.ts'

const NEVER = 9_999_999

const owner = { role: Role.owner }

const placed = (route: string, own: Record<Kind, number>) =>
  route
    .replace('{own}', String(route.includes('/messages/') ? own.message : own.user))
    .replace('{ownChannel}', String(own.channel))
    .replace('{ownScheduled}', String(own.scheduled))
    .replace('{ownGroup}', String(own.group))
    .replace('{ownBot}', String(own.bot))
    .replace('{ownHook}', String(own.hook))

test('every endpoint answers ids of another organization like ids that never existed', async () => {
  const chat = await startChat()
  const other = await chat.organization('other')
  const [ada, eve] = [await chat.user('ada', owner), await chat.user('eve', { ...owner, realm: other })]
  const own = await createObjects(chat, ada, 'design')
  const theirs = await createObjects(chat, eve, 'theirs')
  const before = await organizationState(chat, other.id)

  for (const [kind, route, params] of probes) {
    const ask = async (id: number) => {
      const path = placed(route, own).replaceAll('{}', String(id))
      const answer = JSON.stringify(await ada.call(path, params?.(id)))
      return answer.replaceAll(new RegExp(`\\b${id}\\b`, 'g'), 'ID')
    }
    assert.equal(await ask(theirs[kind]), await ask(NEVER), `${route} with the id of a foreign ${kind}`)
  }
  assert.deepEqual(await organizationState(chat, other.id), before)
})

test('every endpoint answers hidden channels and their messages like ones that never existed', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', owner)
  const [ben, gus] = [await chat.user('ben'), await chat.user('gus', { role: Role.guest })]
  const own = { ...(await createObjects(chat, ada, 'design')), user: ben.id }
  const secret = await chat.channel('secret', [ada], { isPrivate: true })
  const open = await chat.channel('open', [ada])
  const said = [await sendToChannel(ada, secret), await sendToChannel(ada, open)]

  for (const [person, hidden, message] of [
    [ben, secret.id, said[0]],
    [gus, secret.id, said[0]],
    [gus, open.id, said[1]],
  ] as const) {
    for (const [kind, route, params] of probes) {
      if (kind !== 'channel' && kind !== 'message') continue
      const ask = async (id: number) => {
        const path = placed(route, own).replaceAll('{}', String(id))
        const answer = JSON.stringify(await person.call(path, params?.(id)))
        return answer.replaceAll(new RegExp(`\\b${id}\\b`, 'g'), 'ID')
      }
      const id = kind === 'channel' ? hidden : Number(message)
      assert.equal(await ask(id), await ask(NEVER), `${route} by ${person.email} with the id of a hidden ${kind}`)
    }
  }
})

test('every endpoint answers messages that a user can no longer read, or not yet, like ones that never existed', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', owner)
  const [ben, dan] = [await chat.user('ben'), await chat.user('dan', { role: Role.administrator })]
  const own = { ...(await createObjects(chat, ada, 'design')), user: ben.id }
  const left = await chat.channel('left', [ada, ben], { isPrivate: true })
  const before = await chat.channel('before', [ada], { isPrivate: true, isHistoryShared: false })
  const [read, missed] = [await sendToChannel(ada, left), await sendToChannel(ada, before)]
  await ben.succeed('POST /messages/flags', { messages: [read], op: 'add', flag: 'starred' })
  await ben.succeed(`POST /messages/${read}/reactions`, { emoji_name: 'tada' })
  await ben.succeed('DELETE /users/me/subscriptions', { subscriptions: ['left'] })
  await ada.succeed('POST /users/me/subscriptions', {
    subscriptions: [{ name: 'before' }],
    principals: [dan.id],
  })

  for (const [person, message] of [
    [ben, read],
    [dan, missed],
  ] as const) {
    for (const [kind, route, params] of probes) {
      // Users keep their flags of a message, so they can remove them.
      if (kind !== 'message' || (person === ben && route === 'POST /messages/flags')) continue
      const ask = async (id: number) => {
        const path = placed(route, own).replaceAll('{}', String(id))
        const answer = JSON.stringify(await person.call(path, params?.(id)))
        return answer.replaceAll(new RegExp(`\\b${id}\\b`, 'g'), 'ID')
      }
      assert.equal(await ask(message), await ask(NEVER), `${route} by ${person.email}`)
    }
  }
})

test('no endpoint with an id is missing', () => {
  const shape = (route: string) => route.replace(/\{\w*\}/g, '{}')
  const probed = new Set(probes.map(([, route]) => shape(route)))
  const takesId = ({ path, params, pathTypes }: (typeof api)[number]) => {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string)
    const names = [...inPath.filter((name) => pathTypes[name] === undefined), ...Object.keys(params)]
    return names.some((name) => /_ids?$/.test(name) && !otherIds.has(name))
  }

  const left = api.filter(takesId).map(({ method, path }) => shape(`${method} ${path}`))

  assert.deepEqual(
    left.filter((route) => !probed.has(route)),
    [],
  )
})

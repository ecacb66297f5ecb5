import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BotType, Role } from '#rules/role.ts'
import { refusalResponse } from '../../../test/channels.ts'
import { type Person, startChat } from '../../../test/harness.ts'
import { createWebhookBot } from '../../../test/webhook-receiver.ts'

const URL = 'https://example.com/hook'
const deploy = { name: 'deploy', description: 'Deploys the site', argument_hint: '[environment]' }

async function start() {
  const chat = await startChat()
  const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
  const hook = await createWebhookBot(ben, URL)
  const set = (commands: unknown, person: Person = ben, id = hook.id) =>
    person.call(`PUT /bots/${id}/commands`, { commands })
  return { chat, ben, cleo, hook, set }
}

test('the owner of a bot sets its commands, and everyone can list them', async () => {
  const { ben, cleo, hook, set } = await start()

  const { commands } = await set([{ name: 'tea' }, deploy])

  const tea = { name: 'tea', description: '', argument_hint: '' }
  assert.deepEqual(commands, [deploy, tea])
  assert.deepEqual((await ben.succeed(`GET /bots/${hook.id}/commands`)).commands, [deploy, tea])
  assert.deepEqual((await cleo.succeed('GET /bot_commands')).commands, [
    { ...deploy, bot_id: hook.id },
    { ...tea, bot_id: hook.id },
  ])
})

test('the list is replaced as a whole, and an event tells clients that know it', async () => {
  const { cleo, set } = await start()
  const listen = async (can: object) => {
    const { queue_id } = await cleo.succeed('POST /register', { client_capabilities: can })
    return async () => {
      const { events } = await cleo.succeed('GET /events', { queue_id, last_event_id: -1, dont_block: true })
      return events.map(({ type }: { type: string }) => type)
    }
  }
  const [extended, plain] = [await listen({ parley_extensions: true }), await listen({})]
  await set([deploy])
  await set([])

  assert.deepEqual([await extended(), await plain()], [['bot_commands', 'bot_commands'], []])
  assert.deepEqual((await cleo.succeed('GET /bot_commands')).commands, [])
})

for (const [given, problem] of [
  [[{ name: 'poll' }], '/poll is a built-in command.'],
  [[{ name: 'me' }], '/me is a built-in command.'],
  [[{ name: 'tea' }, { name: 'tea' }], '/tea is in the list twice.'],
  [[{ name: 'Tea' }], '"Tea" cannot be a command. Use 1 to 32 lowercase letters, digits, hyphens and underscores.'],
  [[{ name: '/tea' }], '"/tea" cannot be a command. Use 1 to 32 lowercase letters, digits, hyphens and underscores.'],
  [[{ name: '' }], '"" cannot be a command. Use 1 to 32 lowercase letters, digits, hyphens and underscores.'],
  [Array.from({ length: 51 }, (_, at) => ({ name: `c${at}` })), 'A bot can have at most 50 commands.'],
] as const) {
  test(`the list ${JSON.stringify(given).slice(0, 40)} is refused, and the earlier one stays`, async () => {
    const { cleo, set } = await start()
    await set([deploy])

    assert.deepEqual(await set(given), { ...refusalResponse(problem) })
    assert.equal((await cleo.succeed('GET /bot_commands')).commands.length, 1)
  })
}

test('texts of several lines or more than 100 characters are refused', async () => {
  const { set } = await start()

  for (const description of ['two\nlines', 'x'.repeat(101)])
    assert.equal((await set([{ name: 'tea', description }])).status, 400)
})

test('a command belongs to one active bot; the command of a deactivated bot can be taken', async () => {
  const { ben, cleo, hook, set } = await start()
  const other = await createWebhookBot(cleo, URL, { name: 'Other' })
  await set([deploy])

  const taken = await set([{ name: 'tea' }, deploy], cleo, other.id)
  await ben.succeed(`DELETE /bots/${hook.id}`)
  const whileInactive = (await cleo.succeed('GET /bot_commands')).commands
  const taking = await set([deploy], cleo, other.id)
  await ben.succeed(`POST /users/${hook.id}/reactivate`)

  assert.deepEqual(taken, refusalResponse('Another bot already has the command /deploy.'))
  assert.deepEqual(whileInactive, [])
  assert.equal(taking.result, 'success')
  assert.deepEqual((await ben.succeed('GET /bot_commands')).commands, [{ ...deploy, bot_id: other.id }])
})

test('other organizations have commands of their own', async () => {
  const { chat, set } = await start()
  await set([deploy])
  const eve = await chat.user('eve', { realm: await chat.organization('other') })
  const bot = await createWebhookBot(eve, URL)

  assert.deepEqual((await eve.succeed('GET /bot_commands')).commands, [])
  assert.equal((await set([deploy], eve, bot.id)).result, 'success')
})

test('only the owner and administrators set commands, and to others the bot is missing', async () => {
  const { chat, ben, cleo, hook, set } = await start()
  const ada = await chat.user('ada', { role: Role.administrator })
  const robo = await chat.user('robo', { botType: BotType.generic, owner: ben })
  const missing = refusalResponse('No such bot')

  assert.deepEqual(await set([deploy], cleo), missing)
  assert.deepEqual(await cleo.call(`GET /bots/${hook.id}/commands`), missing)
  assert.deepEqual(await set([deploy], cleo, cleo.id), missing)
  assert.deepEqual(await set([deploy], ben, robo.id), refusalResponse('Only outgoing webhook bots have commands.'))
  assert.equal((await set([deploy], ada)).result, 'success')
})

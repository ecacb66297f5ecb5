import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callServer } from '../../test/processes/call-server.ts'
import { commandsIn } from '../../test/processes/command.ts'
import { createOrganizationIn, startKillableServer } from '../../test/processes/killable-server.ts'
import { temporaryFolder } from '../../test/storage.ts'

test('commands create bots, whose keys work on a running server until they are replaced', async () => {
  const folder = await temporaryFolder()
  await createOrganizationIn(folder)
  const server = await startKillableServer(folder)
  const { run, json } = commandsIn(folder)
  const statusOf = async (key: string) => {
    const authorization = `Basic ${Buffer.from(`deploy-bot@parley.test:${key}`).toString('base64')}`
    return (await callServer(server, authorization, 'GET /users/me')).status
  }
  /** Waits until the server refuses the key, which it does once it has noticed the commit of another process. */
  const refuses = async (key: string) => {
    while ((await statusOf(key)) !== 401);
  }

  const bot = await json('bot', 'create', 'deploy', '--name', 'Deploy', '--owner', 'ada@example.com')
  const first = await statusOf(bot.api_key)
  const second = (await json('bot', 'key', 'deploy-bot@parley.test')).api_key
  const withTwo = [await statusOf(bot.api_key), await statusOf(second)]
  const third = (await json('bot', 'key', String(bot.id), '--replace')).api_key
  await refuses(second)
  const replaced = await statusOf(third)
  await json('bot', 'deactivate', 'deploy-bot@parley.test')
  await refuses(third)
  const back = await json('bot', 'reactivate', 'deploy-bot@parley.test')
  const refused = [
    await run('bot', 'create', 'deploy', '--name', 'Other', '--owner', 'ada@example.com'),
    await run('bot', 'create', 'hook', '--name', 'Hook', '--owner', 'ada@example.com', '--type', 'outgoing-webhook'),
    await run('bot', 'create', 'hook', '--name', 'Hook', '--owner', 'deploy-bot@parley.test'),
    await run('bot', 'key', 'ada@example.com'),
  ]
  const mails = await json('mail', 'list')
  const mail = await run('mail', 'show', String(mails.at(-1).id))
  const entries = await json('audit', '--category', 'bots', '--about', 'deploy-bot@parley.test')

  assert.equal(bot.email, 'deploy-bot@parley.test')
  assert.deepEqual([first, withTwo, replaced], [200, [200, 200], 200])
  assert.equal(back.active, true)
  assert.deepEqual(
    refused.map(({ code, complaint }) => [code, complaint.trim()]),
    [
      [1, 'Username already in use'],
      [2, 'An outgoing webhook needs --url, and no other bot has it.'],
      [1, 'deploy-bot@parley.test is not the address of an active person.'],
      [1, 'ada@example.com is not a bot. `npm run -s parley -- bot list` shows all.'],
    ],
  )
  assert.equal(mails.length, 3)
  assert.match(mail.output, /The operator of the server/)
  assert.ok(entries.length > 0 && entries.every(({ origin }: { origin: string }) => origin === 'command'))
})

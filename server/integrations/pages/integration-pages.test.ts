import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { BotType } from '#rules/role.ts'
import { openBrowser } from '../../../test/browser.ts'
import { startChat } from '../../../test/harness.ts'
import { integrations } from '../catalogue.ts'
import { allEntries, isScript } from './presentation.ts'

async function startWithBot() {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const bot = await chat.user('hook-bot', { botType: BotType.incomingWebhook, owner: ada })
  await chat.channel('events', [ada])
  return { chat, ada, bot }
}

const decoded = (html: string) =>
  html.replace(/&(#39|quot|lt|gt|amp);/g, (_, name: string) =>
    String({ '#39': "'", quot: '"', lt: '<', gt: '>', amp: '&' }[name]),
  )

test('the sample of every integration becomes a message', async () => {
  const { ada, bot } = await startWithBot()

  for (const { name: integration, title, eventNames } of integrations) {
    const answer = await ada.call(`POST /bots/${bot.id}/webhook_test`, { integration, stream: 'events' })
    assert.equal(answer.status, 200, `${title}: ${answer.msg}`)
    const { deliveries } = await ada.succeed(`GET /bots/${bot.id}/webhook_deliveries`, { num: 1 })
    const [{ event }] = deliveries
    if (eventNames.length > 0) assert.ok(eventNames.includes(event), `${title}: ${event}`)
  }
})

test('the command on the page of every integration sends the sample', async () => {
  const { chat, bot } = await startWithBot()
  const browser = openBrowser(chat)

  for (const { name, title } of integrations) {
    const { status, body } = await browser.open(`/integrations/${name}`)
    assert.equal(status, 200)
    const command = decoded(/<h2>Try it<[\s\S]*?<code>(curl [\s\S]*?)<\/code>/.exec(body)?.[1] ?? assert.fail(title))
    const { stdout } = await promisify(execFile)('sh', [
      '-c',
      `curl() { printf '%s\\0' "$@"; }\n${command.replace('api_key=KEY', `api_key=${bot.apiKey}`).replace('CHANNEL', 'events')}`,
    ])
    const [url = '', ...options] = stdout.split('\0').slice(0, -1)
    const headers: Record<string, string> = { host: 'parley.test', 'content-type': 'application/x-www-form-urlencoded' }
    const form = new URLSearchParams()
    let json: string | null = null
    for (let at = 0; at < options.length; at += 2) {
      const value = options[at + 1] ?? ''
      const [key = '', rest = ''] = value.split(/[:=] ?(.*)/s, 2)
      if (options[at] === '--header') headers[key] = rest
      else if (options[at] === '--json') json = value
      else form.append(key, rest)
    }
    if (json !== null) headers['content-type'] = 'application/json'
    const { pathname, search } = new URL(url)
    const response = await chat.request({
      ...{ method: 'POST', path: pathname + search, headers, body: json ?? form.toString() },
    })
    assert.equal(response.status, 200, `${title}: ${response.body}`)
    assert.doesNotMatch(response.body, /UNSUPPORTED/, title)
  }
  const { count } = await chat.app.services.db
    .selectFrom('messages')
    .select((one) => one.fn.countAll<number>().as('count'))
    .where('senderId', '=', bot.id)
    .executeTakeFirstOrThrow()
  assert.equal(Number(count), integrations.length)
})

test('every integration has what its page and the list show', () => {
  const entries = allEntries()

  assert.equal(new Set(entries.map(({ name }) => name)).size, entries.length)
  assert.ok(entries.filter(isScript).length >= 15)
  for (const { name, title, summary, steps, logo } of entries) {
    assert.match(name, /^[a-z0-9_-]+$/)
    assert.ok(title.length <= 40 && summary.length <= 50 && summary !== '', title)
    assert.match(logo.color, /^#[0-9a-f]{6}$/, title)
    assert.ok(steps.length > 0 && steps.every((step) => step !== ''), title)
  }
})

test('integrations are found by words, and by category', async () => {
  const { chat } = await startWithBot()
  const browser = openBrowser(chat)
  const titles = async (path: string) =>
    Array.from((await browser.open(path)).body.matchAll(/<b>([^<]+)<\/b>\n<small>/g), ([, title]) => title)

  assert.equal((await titles('/integrations')).length, allEntries().length)
  assert.deepEqual(await titles('/integrations?q=GIT%20own'), ['Git'])
  assert.deepEqual(await titles('/integrations?q=Gitub'), ['GitHub', 'GitHub Actions', 'GitHub Sponsors'])
  assert.deepEqual(await titles('/integrations?category=finance'), [
    'GitHub Sponsors',
    'Open Collective',
    'Patreon',
    'Stripe',
  ])
  assert.deepEqual(await titles('/integrations?category=finance&q=pay'), ['Stripe'])
  assert.match(
    (await browser.open('/integrations?category=finance')).body,
    /type="hidden" name="category" value="finance"/,
  )
  const nothing = await browser.open(`/integrations?q=${encodeURIComponent('<b>zebra')}`)
  assert.match(nothing.body, /Nothing here matches “&lt;b&gt;zebra”/)
  assert.equal((await browser.open('/integrations/zebra')).status, 404)
  assert.equal((await openBrowser(chat, { host: 'nowhere.parley.test' }).open('/integrations')).status, 404)
})

test('a page shows the address of its organization, and leads to the client', async () => {
  const { chat } = await startWithBot()
  const harbour = await chat.organization('harbour')
  const browser = openBrowser(chat, { host: 'harbour.parley.test' })

  const { body } = await browser.open('/integrations/github')
  const script = await browser.open('/integrations/git')

  assert.ok(body.includes('http://harbour.parley.test/api/v1/external/github?api_key=KEY&amp;stream=CHANNEL'))
  assert.ok(body.includes(`Sign in to add it to ${harbour.name}`))
  assert.ok(script.body.includes('url = "http://harbour.parley.test/api/v1/messages"'))
  assert.doesNotMatch(body + script.body, /chat\.example\.com/)
})

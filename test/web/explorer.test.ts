import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Locator, Page } from 'playwright-core'
import type { Chat, Person } from '../harness.ts'
import { sendDirect } from '../messages.ts'
import { temporaryFolder } from '../storage.ts'
import { becomes } from './becomes.ts'
import { test } from './in-chromium.ts'
import { inspect } from './inspect.ts'
import { openStage } from './stage.ts'

const run = promisify(execFile)

/** Opens the form of an endpoint in the reference. */
async function tryIt(page: Page, summary: string): Promise<Locator> {
  await page.getByRole('button', { name: `Try it: ${summary}`, exact: true }).click()
  return page.locator('section', { has: page.getByRole('heading', { name: summary, exact: true }) })
}

const fill = async (section: Locator, values: Record<string, string>) => {
  for (const [name, value] of Object.entries(values))
    await section.getByLabel(new RegExp(`^${name}( \\(required\\))?$`)).fill(value)
}

/** Checks a section without the others, because a check of the whole page would take minutes. */
async function inspectSection(page: Page, section: Locator, name: string): Promise<string[]> {
  await section.evaluate((shown) => {
    for (const other of document.querySelectorAll('section, nav')) if (other !== shown) other.remove()
  })
  return inspect(page, name, { isLeft: true })
}

const countQueues = async ({ app }: Chat) =>
  (await app.services.db.selectFrom('eventQueues').select('id').execute()).length

async function contents(person: Person): Promise<string[]> {
  const { messages } = await person.succeed('GET /messages', { anchor: 'newest', num_before: 20, num_after: 0 })
  return messages.map(({ content }: { content: string }) => content)
}

test('the explorer sends a call only after a click, and shows its response and the events that it caused', async () => {
  const stage = await openStage()
  const [ada, ben] = [await stage.chat.user('ada'), await stage.chat.user('ben')]
  const calls: string[] = []
  const page = await stage.openWindow()
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (pathname.startsWith('/json/')) calls.push(`${request.method()} ${pathname.slice('/json'.length)}`)
  })
  await stage.signIn(page, ada)
  await page.goto('/api')

  const section = await tryIt(page, 'Send a message to a channel or to users')
  await section.getByLabel('type (required)').selectOption('direct')
  await fill(section, { to: `[${ben.id}]`, content: 'from the *explorer*' })
  const callsBefore = [...calls]
  await section.getByLabel('Show the events that the call causes').check()
  await section.getByRole('button', { name: 'Send', exact: true }).click()

  await section.getByRole('heading', { name: /^Response: 200, / }).waitFor()
  const events = section.getByRole('region', { name: '1 event' })
  await events.waitFor()
  assert.match((await events.textContent()) ?? '', /"content": "<p>from the <em>explorer<\/em><\/p>"/)
  await becomes(() => countQueues(stage.chat), 0)
  assert.deepEqual(callsBefore, [])
  assert.deepEqual([...new Set(calls)], ['POST /register', 'POST /messages', 'GET /events', 'DELETE /events'])
  assert.deepEqual(await contents(ben), ['<p>from the <em>explorer</em></p>'])

  await fill(section, { to: 'no JSON' })
  await section.getByRole('button', { name: 'Send', exact: true }).click()
  await section.getByRole('heading', { name: /^Response: 400, / }).waitFor()
  assert.deepEqual(await inspectSection(page, section, 'explorer'), [])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a call that deletes something is sent only after a confirmation', async () => {
  const stage = await openStage()
  const [ada, ben] = [await stage.chat.user('ada'), await stage.chat.user('ben')]
  await stage.chat.change({ can_delete_own_message_group: 'role:everyone' })
  const id = await sendDirect(ada, [ben])
  const page = await stage.openAs(ada, '/api')
  const section = await tryIt(page, 'Delete a message for all users')
  const send = section.getByRole('button', { name: 'Send', exact: true })
  const dialog = page.getByRole('dialog', { name: `Send DELETE /messages/${id}?` })

  await send.click()
  const error = await section.getByText('Enter a value.').textContent()
  await fill(section, { message_id: String(id) })
  await send.click()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  const afterCancel = await contents(ben)
  await send.click()
  await dialog.getByRole('button', { name: 'Send DELETE' }).click()
  await section.getByRole('heading', { name: /^Response: 200, / }).waitFor()

  assert.equal(error, 'Enter a value.')
  assert.deepEqual([afterCancel, await contents(ben)], [['<p>hello</p>'], []])
  await send.click()
  await dialog.waitFor()
  assert.deepEqual(await inspectSection(page, section, 'explorer-confirmation'), [])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('the code that the explorer shows makes the same call', async () => {
  const stage = await openStage()
  const [ada, ben] = [await stage.chat.user('ada'), await stage.chat.user('ben')]
  const page = await stage.openAs(ada, '/api')
  const section = await tryIt(page, 'Send a message to a channel or to users')
  const code = section.getByRole('region', { name: 'Code' })
  await section.getByLabel('type (required)').selectOption('direct')
  const content = `it's "quoted" \\ $HOME \`x\` é&=`
  await fill(section, { to: `[${ben.id}]`, content })
  const sample = async (language: string) => {
    await section.getByRole('button', { name: language, exact: true }).click()
    return ((await code.textContent()) ?? '').replaceAll('API_KEY', ada.apiKey)
  }

  await run('sh', ['-c', await sample('curl')])
  await run(process.execPath, ['--input-type=module', '--eval', await sample('JavaScript')])
  const python = await sample('Python')

  const options = { anchor: 'newest', num_before: 5, num_after: 0, apply_markdown: false }
  const { messages } = await ben.succeed('GET /messages', options)
  assert.deepEqual(
    messages.map((message: { content: string }) => message.content),
    [content, content],
  )
  assert.equal(
    python,
    `import zulip

client = zulip.Client(config_file="~/zuliprc")
result = client.call_endpoint(
    url="messages",
    method="POST",
    request={
        "type": "direct",
        "to": "[${ben.id}]",
        "content": ${JSON.stringify(content)},
    },
)
print(result)`,
  )
  await stage.close()
})

test('a file is uploaded by the explorer and by the code that it shows', async () => {
  const stage = await openStage()
  const ada = await stage.chat.user('ada')
  const folder = await temporaryFolder()
  await writeFile(path.join(folder, "ada's notes.txt"), 'hello')
  const page = await stage.openAs(ada, '/api')
  const section = await tryIt(page, 'Upload a file')
  const code = section.getByRole('region', { name: 'Code' })
  const sample = async (language: string) => {
    await section.getByRole('button', { name: language, exact: true }).click()
    return ((await code.textContent()) ?? '').replaceAll('API_KEY', ada.apiKey)
  }

  await section.getByLabel('file', { exact: true }).setInputFiles(path.join(folder, "ada's notes.txt"))
  await section.getByRole('button', { name: 'Send', exact: true }).click()
  await section.getByRole('heading', { name: /^Response: 200, / }).waitFor()
  await run('sh', ['-c', await sample('curl')], { cwd: folder })
  await run(process.execPath, ['--input-type=module', '--eval', await sample('JavaScript')], { cwd: folder })

  const { attachments } = await ada.succeed('GET /attachments')
  assert.deepEqual(
    attachments.map(({ name, size }: { name: string; size: number }) => [name, size]),
    Array.from({ length: 3 }, () => ["ada's notes.txt", 5]),
  )
  assert.match(await sample('Python'), /files=\[open\("ada's notes.txt", "rb"\)\],\n/)
  await stage.close()
})

test('visitors read the reference without scripts, and get code but no call without a session', async () => {
  const stage = await openStage()
  const page = await stage.openWindow({ width: 390 })
  await page.goto('/api')

  const section = await tryIt(page, 'Send a message to a channel or to users')

  await section.getByRole('region', { name: 'Code' }).waitFor()
  assert.equal(await section.getByRole('button', { name: 'Send', exact: true }).count(), 0)
  assert.equal(await section.getByRole('link', { name: 'Log in' }).getAttribute('href'), '/login/?next=%2Fapi')
  await tryIt(page, 'Schedule a message')
  const ids = await page.locator('[id]').evaluateAll((elements) => elements.map(({ id }) => id))
  assert.deepEqual(ids, [...new Set(ids)])
  const html = await (await fetch(`${stage.url}/api`)).text()
  assert.ok(html.includes('<h3 id="event-reminders-add">') && !html.includes('csrf-token'))
  await stage.close()
})

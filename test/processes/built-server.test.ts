import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../storage.ts'
import { createOrganizationIn, startKillableServer } from './killable-server.ts'

const CONTENT = '**bold** $$x^2$$\n\n```python\nprint(1)\n```'

test('the built server includes code that is loaded on demand: the thread for formulas and code, pages, their files, the API reference', async () => {
  const folder = await temporaryFolder()
  const ada = await createOrganizationIn(folder)
  // The setting of a relay makes the server load the SMTP code; nothing is sent.
  const { url } = await startKillableServer(folder, { SMTP_URL: 'smtp://127.0.0.1:1' })

  const rendered = await fetch(`${url}/api/v1/messages/render`, {
    method: 'POST',
    headers: { authorization: ada, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ content: CONTENT }),
  })
  const signIn = await (await fetch(`${url}/login`)).text()
  const style = /href="(\/static\/pages\/[^"]+-pages\.css)"/.exec(signIn)?.[1]

  const html = ((await rendered.json()) as { rendered: string }).rendered
  assert.match(
    html,
    /<strong>bold<\/strong> <span class="katex">[\s\S]*<div class="codehilite"[\s\S]*<span class="nb">print/,
  )
  assert.equal(
    await (await fetch(`${url}${style}`)).text(),
    await readFile(path.join(import.meta.dirname, '../../server/http/pages/assets/pages.css'), 'utf8'),
  )
  assert.match(await (await fetch(`${url}/api`)).text(), /<html/)
})

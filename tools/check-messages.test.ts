import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkMessages } from './check-messages.ts'

const IMPORTS = "import { renderPage } from '#http/page-html.ts'\n"

/** Returns the problems of a file with this source, without the advice. */
const problems = (file: string, source: string) =>
  checkMessages(new Map([[file, source]])).problems.map((problem) => problem.replace(/;.*| cannot be.*/, ''))

for (const [name, source] of Object.entries({
  'a heading': "renderPage({ heading: 'Log in' })",
  'a label with values': `field({ label: \`Join \${realm}\` })`,
  'one of two hints': "field({ hint: isOpen ? t('Open') : 'Closed' })",
  'a block': "renderLayout({ blocks: ['Your account is new.'] })",
  'a paragraph': `html\`<p>Log in to \${realm}</p>\``,
  'an attribute that is read aloud': `html\`<nav aria-label="Steps">\${items}</nav>\``,
})) {
  test(`${name} in a page or email must be a message`, () => {
    assert.equal(problems('server/a/login-page.ts', IMPORTS + source).length, 1)
    assert.deepEqual(problems('server/a/log.ts', source), [])
  })
}

test('markup, attributes and commands of a page need no message', () => {
  const source = `html\`<p class="wide">\${t("Log in")} <code>npm start</code></p>\${isFirst && html\` autofocus\`}\``

  assert.deepEqual(problems('server/a/login-page.ts', IMPORTS + source), [])
})

test('the values of a message must be those that it names', () => {
  assert.deepEqual(problems('web/inbox/a.tsx', "t('Leave {channel}', { name })"), [
    'web/inbox/a.tsx:1: the message and its values differ in channel, name',
  ])
})

test('messages of the client, the pages and the emails are listed', () => {
  const { messages } = checkMessages(
    new Map([
      ['web/inbox/a.tsx', "t('Save')"],
      ['server/a/login-page.ts', `${IMPORTS}rich('Read <a>this</a>', { a })`],
    ]),
  )

  assert.deepEqual(
    messages.map(({ text }) => text),
    ['Save', 'Read <a>this</a>'],
  )
})

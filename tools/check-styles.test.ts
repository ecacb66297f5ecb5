import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkStyles } from './check-styles.ts'

const SHEETS = {
  'web/ui/base.css': '.row { gap: 0; }\n@media (width < 40.5rem) { .icon { margin: 0.5rem; } }',
  'web/people/card.module.css': '.card-head { color: red; &.is-old .icon { color: blue; } }',
}
const IMPORT = "import * as css from './card.module.css'\n"
const CARD = `${IMPORT}<p className={isOld ? \`row \${css.cardHead} \${css.isOld}\` : css.cardHead}><i className="icon" /></p>`

/** Returns the problems of the client with a card whose source is given, and with further files. */
const problems = (card: string, files: Record<string, string> = {}) =>
  checkStyles(new Map(Object.entries({ ...SHEETS, 'web/people/card.tsx': card, ...files })))

test('a script uses the classes of its modules and of shared sheets', () => {
  assert.deepEqual(problems(CARD), [])
})

for (const [name, source] of Object.entries({
  'of a module': 'css.cardFoot',
  'in an attribute': '<p className="row card-foot" />',
  'in a condition': "<p className={kind === 'open' ? 'card-foot' : 'row'} />",
  'in a template': `<p className={\`row \${isOld ? 'card-foot' : ''}\`} />`,
  'in properties': "const props = { className: 'card-foot', id }",
  'of a module as text': '<p className="card-head" />',
  'in a selector': `page.querySelector<HTMLElement>('main .card-foot')`,
}))
  test(`a class that does not exist is found: ${name}`, () => {
    const found = problems(`${CARD}\n${source}`)

    assert.equal(found.length, 1, found.join('\n'))
    assert.match(
      found[0]!,
      /^web\/people\/card\.tsx: .*(?:card-?foot|"card-head").* is (?:not a class of|in no sheet)/i,
    )
  })

test('a class that nothing uses is found in modules and shared sheets', () => {
  const found = problems(`${IMPORT}<p className={css.cardHead}><i className="icon" /></p>`)

  assert.deepEqual(found, [
    'web/people/card.module.css: .is-old is used nowhere',
    'web/ui/base.css: .row is used nowhere',
  ])
})

test('a script that does not import a module does not use its classes', () => {
  const found = problems('<p className="row"><i className="icon" /></p>', {
    'web/people/page.tsx': "import * as css from './page.module.css'\n<p className={css.cardHead} />",
    'web/people/page.module.css': '',
  })

  assert.deepEqual(found, [
    'web/people/page.tsx: css.cardHead is not a class of web/people/page.module.css',
    'web/people/card.module.css: .card-head is used nowhere',
    'web/people/card.module.css: .is-old is used nowhere',
  ])
})

test('a module does not name the class of another one', () => {
  const found = problems(CARD, { 'web/people/page.module.css': 'main .card-head { color: green; }' })

  assert.deepEqual(found, ['web/people/page.module.css: .card-head is a class of web/people/card.module.css'])
})

test('classes of packages and of rendered messages need no script', () => {
  const found = problems(CARD, {
    'web/people/view.module.css': ':global(.pswp) { color: green; }',
    'web/message-html/message.css': '.alert-word { color: green; }',
  })

  assert.deepEqual(found, [])
})

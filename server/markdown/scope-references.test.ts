import assert from 'node:assert/strict'
import { test } from 'node:test'
import { renderMarkdown } from './render.ts'
import { emptyScope, type RenderScope, referencesIn } from './scope.ts'

const scope: RenderScope = {
  ...emptyScope,
  findUserByName: (name) => (name.toLowerCase() === 'ada <1> & @b' ? { id: 7, fullName: 'Ada <1> & @b' } : null),
  findUserById: (id) => (id === 8 ? { id, fullName: '@Ben' } : null),
  findGroupByName: (name) => (name === 'r&d' ? { id: 3, name } : null),
  findChannelByName: (name) => ({ id: name.length, name }),
  findFirstIn: (channelId, topic) => (topic === 'new' ? null : channelId),
  findCustomEmoji: (name) => (name === 'tick' ? { url: '/emoji/1.png?a&b' } : null),
}

const text = [
  '@**ADA <1> & @b** @_**@Ben|8** @**|8** @*r&d* @_*r&d* #**a & b** #**ab>t** #**abc>** #**abcd>t@5** #**abcde>T & u** #**abcde>new** #**abcdef>** :tick:',
  '@**all** @**topic** @**Cleo** @**Ada <1> & @b|9** @*all* :cross: `@**Ada**`',
  '> @**Ada <1> & @b** #**quoted**',
].join('\n')

test('rendering content again keeps all its references', () => {
  const rendering = renderMarkdown(text, scope)

  const again = renderMarkdown(text, { ...emptyScope, ...referencesIn(rendering.html) })

  assert.deepEqual(again, rendering)
})

test('a mention of a system group keeps its reference, even in a message from an older renderer', () => {
  const written = '@*role:members* @_*Role:Members*'
  const { html } = renderMarkdown(written, { ...scope, findGroupByName: () => ({ id: 12, name: 'role:members' }) })
  const older = html.replaceAll('Members<', 'role:members<')

  assert.match(html, />@Members<.*>Members</)
  for (const before of [html, older])
    assert.equal(renderMarkdown(written, { ...emptyScope, ...referencesIn(before) }).html, html)
})

test('rendering content again adds no references', () => {
  const { html } = renderMarkdown('@**Ada** @*r&d* #**a** :tick:', emptyScope)

  const again = renderMarkdown('@**Ada** @*r&d* #**a** :tick:', { ...scope, ...referencesIn(html) })

  assert.equal(again.html, html)
})

test('a mention that was silent because the account was deactivated stays silent', () => {
  const written = '@**|8** @*r&d*'
  const { html } = renderMarkdown(written, {
    ...scope,
    findUserById: (id) => ({ id, fullName: 'Ben', isSilent: true }),
    findGroupByName: (name) => ({ id: 3, name, isSilent: true }),
  })

  const again = renderMarkdown(written, { ...emptyScope, ...referencesIn(html) })

  assert.match(html, /user-mention silent.*user-group-mention silent/)
  assert.equal(again.html, html)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { renderMarkdown } from '#markdown/render.ts'
import { emptyScope, type RenderScope } from '#markdown/scope.ts'
import { fc } from '../../test/fast-check.ts'
import { sized } from '../../test/size.ts'
import { boldName, channelLinkMarkdown, silentGroupMention, topicLink } from './notice-markdown.ts'

/** Returns a scope in which every user and group exists, and only one channel: the one with this name. */
const scopeOf = (name: string): RenderScope => ({
  ...emptyScope,
  findUserByName: (fullName) => ({ id: 1, fullName }),
  findGroupByName: (name) => ({ id: 1, name }),
  findChannelByName: (given) => (given === name ? { id: 1, name } : null),
})

const names = fc
  .array(fc.constantFrom(...'*`~$[]()<>:\\&;#@_|!/-^a1 ', '@**all**', '@_*a*', ':smile:', '&lt;', 'https://a.org'))
  .map((parts) => parts.join('').trim().slice(0, 60).trim())
  .filter((name) => name !== '')

/** Returns the visible text without spaces, because Markdown adds a space to code that begins with a backtick. */
const visibleText = (html: string) =>
  html
    .replace(/<[^>]*>|\s/g, '')
    .replace(
      /&(lt|gt|quot|#39|amp);/g,
      (_, name) => ({ lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' })[name as 'lt'],
    )

const withoutSpaces = (text: string) => text.replace(/\s/g, '')

test('a name is shown literally, whatever it contains, and mentions no one', () => {
  const shows = (name: string, text: string, ...expected: string[]) => {
    const { html, mentionedUserIds, mentionedGroupIds, mentionsChannel } = renderMarkdown(text, scopeOf(name))
    assert.ok(expected.map(withoutSpaces).includes(visibleText(html)), `${text} became ${html}`)
    assert.deepEqual([mentionedUserIds, mentionedGroupIds, mentionsChannel], [[], [], false])
  }
  fc.assert(
    fc.property(names, (name) => {
      shows(name, `from ${boldName(name)} to ${boldName(name)}.`, `from ${name} to ${name}.`)
      shows(name, `to ${channelLinkMarkdown({ name })}.`, `to #${name}.`)
      shows(name, `to ${silentGroupMention(name)}.`, `to ${name}.`)
      shows(name, `to ${topicLink({ name }, name)}.`, `to #${name} > ${name}.`)
    }),
    { numRuns: sized(300, 2000) },
  )
})

test('a plain name becomes bold, a channel becomes a link, and a group becomes a mention', () => {
  assert.equal(boldName('design & code'), '**design & code**')
  assert.equal(boldName('@**all**'), '`@**all**`')
  assert.equal(channelLinkMarkdown({ name: 'design & code' }), '#**design & code**')
  assert.equal(channelLinkMarkdown({ name: 'a>b' }), '`#a>b`')
  assert.equal(topicLink({ name: 'design' }, 'a>b'), '#**design>a>b**')
  assert.equal(topicLink({ name: 'design' }, 'a*b'), '`#design > a*b`')
  assert.equal(topicLink({ name: 'a*b' }, ''), '`#a*b`')
  assert.equal(silentGroupMention('a>b'), '@_*a>b*')
  assert.equal(silentGroupMention('a*b'), '`a*b`')
})

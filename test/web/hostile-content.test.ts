import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { drawPicture } from '#testing/sample/gallery-content.ts'
import { upload } from '../files.ts'
import type { Chat } from '../harness.ts'
import { sendToChannel } from '../messages.ts'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { openStage } from './stage.ts'

const repeat = (text: string, count: number) => text.repeat(count)

const table = (columns: number, rows: number) =>
  `<table><tbody>${repeat(`<tr>${repeat('<td>cell</td>', columns)}</tr>`, rows)}</tbody></table>`

const picture = (address: string) =>
  `<div class="message_inline_image"><a href="${address}"><img data-original-dimensions="72x48" src="${address}"></a></div>`

/** Contents of messages, as a server may have stored them. */
const contents = (address: string): Readonly<Record<string, string>> => ({
  'long word': `<p>${repeat('incomprehensibilities', 150)}</p>`,
  'reversed text': `<p>\u202e\u2067reversed ${repeat('\u202b', 500)} to the end\u0000</p>`,
  'piled marks': `<p>${repeat(`a${repeat('\u0301\u0323', 60)}`, 30)}</p>`,
  'long code': `<div class="codehilite" data-code-language="Python"><pre><span></span><code>${repeat('step(1)\n', 10_000)}</code></pre></div>`,
  'long line': `<div class="codehilite"><pre><span></span><code>${repeat('x', 9000)}\n</code></pre></div>`,
  pictures: repeat(picture(address), 100),
  'deep quotes': `${repeat('<blockquote>', 120)}<p>deep</p>${repeat('</blockquote>', 120)}`,
  'deep lists': `${repeat('<ul><li>', 60)}deep${repeat('</li></ul>', 60)}`,
  'huge table': table(40, 200),
  'broken HTML': `<p>open <b>bold <a href="javascript:alert(1)">link</p></div></div><table><tr><td>cell<script>alert(1)</script><img src=x onerror="alert(1)"><p style="position:fixed;inset:0">cover</p>`,
  'old markup': `<center><font size="7">big</font></center><iframe src="/"></iframe><blink>classes</blink>`,
})

/** Full names that are as long and as strange as the server accepts. */
const NAMES: Readonly<Record<string, string>> = {
  flo: '🦄 Zoë \u202Eeman 👩‍👩‍👧‍👦',
  gus: 'Hubertine'.repeat(9).slice(0, 80),
  hal: 'عبد الرحمن بن محمد بن أحمد بن عبد الله الأنصاري القرطبي الأندلسي المغربي الفاسي',
  ida: '🏳️‍🌈'.repeat(13),
}

const REACTIONS = 200

/** Stores a message with this HTML, as an older renderer may have written it. */
async function saveRendered(chat: Chat, id: number, renderedContent: string): Promise<void> {
  await chat.app.services.transaction((tx) =>
    tx.updateTable('messages').set({ renderedContent }).where('id', '=', id).execute(),
  )
}

/**
 * Returns the messages that are not visible within the window's width, and the pages and lists that scroll sideways.
 */
const misplaced = (page: Page) =>
  page.evaluate(() => {
    const list = document.querySelector<HTMLElement>('.timeline')!
    const { left, right } = list.getBoundingClientRect()
    const rows = [...document.querySelectorAll<HTMLElement>('[data-message]')]
    const problems = rows
      .filter((row) => {
        const { left: start, right: end, height } = row.getBoundingClientRect()
        return height < 20 || start < left - 1 || end > right + 1
      })
      .map((row) => row.innerText.slice(0, 60))
    if (document.documentElement.scrollWidth > innerWidth) problems.push('the page scrolls sideways')
    list.scrollLeft = 1000
    if (Math.abs(list.scrollLeft) > 0) problems.push('the timeline scrolls sideways')
    return problems
  })

for (const width of [1280, 390])
  test(`hostile content stays within its message, and the page remains usable: ${width} px`, async () => {
    const stage = await openStage()
    const { ada, ben } = await fillExample(stage.chat)
    const design = await stage.chat.channel('strange', [ada, ben])
    for (const [name, fullName] of Object.entries(NAMES)) {
      const person = await stage.chat.user(name, { fullName })
      await person.succeed('POST /users/me/subscriptions', { subscriptions: [{ name: design.name }] })
      await sendToChannel(person, design, `@**${fullName}** here`, 'kinds')
    }
    const bytes = drawPicture(72, 48, [
      [188, 214, 192],
      [148, 192, 156],
      [84, 172, 190],
    ])
    const address = await upload(stage.chat, ada, { name: 'one.png', bytes })
    for (const [name, html] of Object.entries(contents(address))) {
      const id = await sendToChannel(ben, design, name, 'kinds')
      await saveRendered(stage.chat, id, `<p>${name}</p>${html}`)
    }
    const reacted = await sendToChannel(ada, design, 'many reactions', 'kinds')
    for (let code = 0x1f400; code < 0x1f400 + REACTIONS; code++)
      await stage.chat.app.services.transaction((tx) =>
        tx
          .insertInto('reactions')
          .values({
            messageId: reacted,
            userId: ben.id,
            emojiName: `animal_${code}`,
            emojiCode: code.toString(16),
            reactionType: 'unicode_emoji',
          })
          .execute(),
      )
    const page = await stage.openAs(ada, `/channels/${design.id}?topic=kinds`, { width })
    await page.locator('.timeline-rows[aria-busy="false"]').waitFor()

    await becomes(() => misplaced(page), [])
    for (const name of Object.keys(contents(address)))
      await page.locator('[data-message]', { hasText: name }).first().scrollIntoViewIfNeeded()
    await becomes(() => misplaced(page), [])
    await page.getByLabel(/^Message/).fill('still here')
    await page.getByLabel(/^Message/).press('Control+Enter')
    await page.locator('[data-message] .message-content', { hasText: 'still here' }).waitFor()
    await becomes(() => page.locator('.reaction[aria-pressed]').count(), REACTIONS)
    assert.equal(await page.locator('iframe, center, .message-content script').count(), 0)
    assert.deepEqual(stage.complaints(), [])
    await stage.close()
  })

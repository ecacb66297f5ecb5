import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { saveUser } from '#people/user-queries.ts'
import { Role } from '#rules/role.ts'
import type { Chat, Person } from '../harness.ts'
import { sendToChannel } from '../messages.ts'
import { becomes } from './becomes.ts'
import { box, newestOf, row, title, to } from './compose-box.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { openStage } from './stage.ts'

/** More people than the initial state has. */
const CROWD = 5000

async function fillLarge(chat: Chat) {
  await chat.app.services.transaction(async (tx) => {
    for (let number = 0; number < CROWD; number += 1) {
      const [deliveryEmail, fullName] = [`person${number}@example.com`, `Person ${number}`]
      await saveUser(tx, { realmId: chat.realm.id, deliveryEmail, fullName, role: Role.member })
    }
  })
  const { ada, ben } = await fillExample(chat)
  const zora = await chat.user('zora', { fullName: 'Zora Quill' })
  const quinn = await chat.user('quinn', { fullName: 'Quinn Zorander' })
  await chat.channel('maps', [ada, zora])
  await sendToChannel(zora, { name: 'maps' }, `a map by @**Quinn Zorander|${quinn.id}**`, 'scale')
  return { ada, ben, zora, quinn }
}

/** Records the requests for people. */
function watchPeople(page: Page): string[] {
  const asked: string[] = []
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url())
    if (pathname === '/json/users' || pathname === '/json/users/search')
      asked.push(pathname.endsWith('search') ? 'search' : search.includes('user_ids') ? 'ids' : 'everyone')
  })
  return asked
}

const cardOf = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true })

for (const width of [390, 1280])
  test(`people whom the client does not know are found, shown and written to in a window of ${width} pixels`, async () => {
    const stage = await openStage()
    const { ada, zora, quinn } = await fillLarge(stage.chat)
    const page = await stage.openAs(ada, '/inbox', { width, height: 800 })
    const asked = watchPeople(page)
    await page.reload()
    await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()

    // A mention in a message opens the card of somebody unknown.
    const { channel_id } = await channelOf(ada, 'maps')
    await page.goto(`/channels/${channel_id}`)
    await row(page, 'a map by').waitFor()
    assert.deepEqual(asked.includes('everyone'), false)
    await row(page, 'a map by').getByText('@Quinn Zorander').click()
    await cardOf(page, 'Quinn Zorander').getByText('quinn@example.com').waitFor()
    await page.keyboard.press('Escape')

    // A typed name is looked up, and mentioned by id.
    await box(page).fill('Ask @person 49')
    await page.locator('.suggestion-label', { hasText: /^Person 49$/ }).click()
    await becomes(() => box(page).inputValue(), `Ask @**Person 49|${await idOf(ada, 'person49@example.com')}** `)
    await box(page).fill('')

    // Direct messages to somebody unknown, by name and by address.
    await page.goto('/dm')
    await to(page).fill('quill')
    await page.getByRole('option', { name: 'Zora Quill' }).click()
    await page.getByRole('textbox', { name: /^Message/ }).fill('Thanks for the map')
    await page.keyboard.press('Control+Enter')
    await becomes(async () => (await newestOf(zora)).content, '<p>Thanks for the map</p>')
    await title(page, 'Zora Quill')
    await page.goto(`/dm/${await idOf(ada, 'person4321@example.com')}`)
    await title(page, 'Person 4321')

    await page.goto(`/people/${quinn.id}`)
    await title(page, 'Quinn Zorander')
    await page.goto('/search?q=from:quinn')
    await becomes(async () => asked.includes('search') && asked.includes('ids'), true)
    assert.deepEqual(asked.includes('everyone'), false)
    assert.deepEqual(stage.complaints(), [])
    await stage.close()
  })

async function channelOf(person: Person, name: string): Promise<{ channel_id: number }> {
  const { stream_id } = await person.succeed('GET /get_stream_id', { stream: name })
  return { channel_id: stream_id }
}

async function idOf(person: Person, email: string): Promise<number> {
  return (await person.succeed(`GET /users/${email}`))['user'].user_id
}

test('pages that list everyone fetch everyone, and events keep fetched people up to date', async () => {
  const stage = await openStage()
  const { ada, quinn } = await fillLarge(stage.chat)
  const page = await stage.openAs(ada, `/people/${quinn.id}`)
  const asked = watchPeople(page)
  await title(page, 'Quinn Zorander')

  await quinn.succeed('PATCH /settings', { full_name: 'Quinn Renamed' })
  await title(page, 'Quinn Renamed')
  await page.goto('/people')
  await page.getByRole('searchbox', { name: 'Filter people' }).fill('person 4999')
  await page.getByText('Person 4999').first().waitFor()

  assert.deepEqual(asked.filter((one) => one === 'everyone').length, 1)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

import type { Page } from 'playwright-core'

/** The size of all pictures; `web/help/help.tsx` reserves the same space. */
export const HELP_PICTURE = { width: 732, height: 366 }

/** The size of a window with the sidebar and, beside it, a page as wide as a picture. */
export const HELP_WINDOW = { width: 1000, height: 640 }

type HelpPicture = {
  at: string
  /** Leads from the address to the content of the picture. */
  steps?: (page: Page) => Promise<void>
  /** The width of the window, if its content does not fit beside the sidebar in `HELP_WINDOW`. */
  windowWidth?: number
  /** The element in the middle of the picture, or at its start if the element is larger. */
  shows: string
}

const message = (page: Page) => page.locator('.composer textarea')

const write = (text: string) => async (page: Page) => {
  await message(page).focus()
  await page.keyboard.type(text)
}

const send = (text: string) => async (page: Page) => {
  await message(page).fill(text)
  await page.keyboard.press('Control+Enter')
  await page.waitForTimeout(1500)
}

/** Returns the pictures of the help in the sample organization, by name; `channels` has the ids of its channels. */
export const helpPictures = (
  channels: Readonly<Record<string, { stream_id: number }>>,
): Record<string, HelpPicture> => {
  const topic = (channel: string, name: string) =>
    `/channels/${channels[channel]!.stream_id}?topic=${encodeURIComponent(name)}`
  return {
    'find-your-way': { at: '/inbox', shows: '.sidebar-head' },
    'catch-up': { at: '/inbox', shows: 'main' },
    'jump-to-anything': {
      at: '/inbox',
      async steps(page) {
        await page.keyboard.press('Control+k')
        await page.locator('.switcher-input').pressSequentially('des')
      },
      shows: '.switcher-dialog',
    },
    search: {
      at: '/search',
      steps: (page) => page.getByRole('combobox', { name: 'Search' }).fill('from:'),
      shows: '.search-above',
    },
    'format-text': {
      at: topic('kitchen', 'cake'),
      steps: write('Mine needs **three** eggs and `1/2` liter of milk:'),
      shows: '.composer',
    },
    'mention-people': { at: topic('design', 'thanks'), steps: write('Thank you, @a'), shows: '.composer' },
    'share-code': {
      at: topic('engineering', 'areas'),
      steps: send('It is one line:\n```python\ndef area(radius):\n    return 3.14159 * radius ** 2\n```'),
      shows: 'main',
    },
    polls: {
      at: topic('kitchen', 'summer party'),
      steps: send('/poll When do we celebrate?\nFriday\nSaturday\nSunday'),
      shows: 'main',
    },
    'to-do-lists': {
      at: topic('kitchen', 'party tasks'),
      steps: send('/todo Before the party\nInvite the neighbors\nOrder drinks\nBorrow a grill'),
      shows: 'main',
    },
    notifications: { at: '/settings/notifications', windowWidth: 1210, shows: '.notification-table' },
    'add-an-integration': {
      at: `/add-integration?service=github&channel=${channels['engineering']!.stream_id}`,
      windowWidth: 1210,
      shows: '.integrations-panel',
    },
    'invite-people': { at: '/inbox?invite=email', shows: '[role=dialog]' },
  }
}

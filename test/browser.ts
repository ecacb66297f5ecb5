import assert from 'node:assert/strict'
import { generateSync } from 'otplib'
import { saveUserFields } from '#people/user-queries.ts'
import { type Body, type Chat, type Person, startChat } from './harness.ts'

/** The page in a browser: the last response after all redirects within the site, and its visible text. */
export type View = {
  readonly status: number
  readonly path: string
  readonly headers: Record<string, unknown>
  readonly body: string
  readonly text: string
}

/**
 * A browser from the server's point of view: it keeps cookies, follows redirects, and sends the origin of its requests.
 */
export type Browser = {
  readonly cookies: Map<string, string>
  open(path: string): Promise<View>
  /** Fills in the first visible form of the page and submits it with its existing values. */
  submit(fields?: Record<string, string>): Promise<View>
  /** Calls an endpoint under /json like a script of the page. */
  call(route: string, params?: Record<string, unknown>, headers?: Record<string, string>): Promise<Body>
  /** Returns the CSRF token of this session. */
  csrfToken(): Promise<string>
}

/** Opens a browser at the host; an https page is behind a proxy. */
export function openBrowser(chat: Chat, { host = 'parley.test' }: { host?: string } = {}): Browser {
  const cookies = new Map<string, string>()
  let shown: View | null = null

  async function request(method: string, path: string, headers: Record<string, string>, body?: string) {
    const cookie = Array.from(cookies, ([name, value]) => `${name}=${value}`).join('; ')
    const answer = await chat.request({
      method,
      path,
      headers: { host, ...(cookie !== '' && { cookie }), ...headers },
      ...(body !== undefined && { body }),
    })
    for (const line of [answer.headers['set-cookie'] ?? []].flat()) keepCookie(String(line))
    return answer
  }

  function keepCookie(line: string) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
    if (/Max-Age=0/.test(line)) cookies.delete(name)
    else cookies.set(name, value)
  }

  async function show(method: string, path: string, form?: string): Promise<View> {
    const isForm = form !== undefined
    const answer = await request(
      method,
      path,
      {
        accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
        'sec-fetch-site': isForm ? 'same-origin' : 'none',
        ...(isForm && { 'content-type': 'application/x-www-form-urlencoded', origin: `http://${host}` }),
      },
      form,
    )
    if (answer.status === 302) return show('GET', String(answer.headers['location']))
    shown = { status: answer.status, path, headers: answer.headers, body: answer.body, text: textOf(answer.body) }
    return shown
  }

  const browser: Browser = {
    cookies,
    open: (path) => show('GET', path),
    submit(fields = {}) {
      assert(shown !== null, 'no page is open')
      const [, attributes = '', content = ''] = /<form((?:(?! hidden)[^>])*)>([\s\S]*?)<\/form>/.exec(shown.body) ?? []
      const action = /action="([^"]*)"/.exec(attributes)?.[1] ?? shown.path
      const form = new URLSearchParams(heldBy(content))
      for (const [name, value] of Object.entries(fields)) form.set(name, value)
      return show('POST', unescapeHtml(action), form.toString())
    },
    async csrfToken() {
      const { body } = await browser.open('/')
      return /name="csrf[-_]token" (?:content|value)="([^"]*)"/.exec(body)?.[1] ?? ''
    },
    async call(route, params = {}, headers = {}) {
      const [method = '', path = ''] = route.split(' ')
      const form = new URLSearchParams()
      for (const [name, value] of Object.entries(params))
        if (value !== undefined) form.append(name, typeof value === 'string' ? value : JSON.stringify(value))
      const isRead = method === 'GET'
      const token: Record<string, string> = isRead ? {} : { 'x-csrftoken': await browser.csrfToken() }
      const type: Record<string, string> = isRead ? {} : { 'content-type': 'application/x-www-form-urlencoded' }
      const answer = await request(
        method,
        `/json${path}${isRead && form.size > 0 ? `?${form}` : ''}`,
        { 'sec-fetch-site': 'same-origin', ...token, ...type, ...headers },
        isRead ? undefined : form.toString(),
      )
      return { status: answer.status, ...JSON.parse(answer.body) }
    },
  }
  return browser
}

/** Returns the values of a form's fields that a browser would submit. */
function heldBy(form: string): [string, string][] {
  const selects = [...form.matchAll(/<select([^>]*)>([\s\S]*?)<\/select>/g)].map(
    ([, attributes = '', options = '']) => {
      const chosen = /<option([^>]*) selected/.exec(options) ?? /<option([^>]*)>/.exec(options)
      return [attribute(attributes, 'name') ?? '', unescapeHtml(attribute(chosen?.[1] ?? '', 'value') ?? '')] as [
        string,
        string,
      ]
    },
  )
  return [...selects, ...inputsOf(form)]
}

function inputsOf(form: string): [string, string][] {
  return [...form.matchAll(/<input([^>]*)>/g)].flatMap(([, attributes = '']): [string, string][] => {
    const [name, value, type] = ['name', 'value', 'type'].map((key) => attribute(attributes, key))
    if (name === undefined) return []
    const isTickable = type === 'checkbox' || type === 'radio'
    return isTickable && !/ checked/.test(attributes) ? [] : [[name, unescapeHtml(value ?? '')]]
  })
}

const attribute = (attributes: string, name: string) => new RegExp(` ${name}="([^"]*)"`).exec(attributes)?.[1]

const textOf = (body: string) =>
  unescapeHtml(
    body
      .replace(/<(title|script)[\s\S]*?<\/\1>/g, ' ')
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' '),
  ).trim()

const unescapeHtml = (text: string) =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')

export const PASSWORD = 'correct horse'

/** Gives an account the password PASSWORD. */
export async function submitPassword(chat: Chat, { id }: { id: number }): Promise<void> {
  const passwordHash = await chat.app.services.passwords.hash(PASSWORD)
  await chat.app.services.transaction((tx) => saveUserFields(tx, id, { passwordHash }))
}

/** Changes the password of the account after each password check. */
export async function changeWhileChecked(chat: Chat, { id }: { id: number }): Promise<void> {
  const { passwords, transaction } = chat.app.services
  const { verify } = passwords
  const passwordHash = await passwords.hash('another horse')
  passwords.verify = async (hash, password) => {
    const isRight = await verify(hash, password)
    await transaction((tx) => saveUserFields(tx, id, { passwordHash }))
    return isRight
  }
}

/** Returns a browser in which the user has just logged in. */
export async function signIn(
  chat: Chat,
  person: Person,
  { isKept = false, host }: { isKept?: boolean; host?: string } = {},
): Promise<Browser> {
  await submitPassword(chat, person)
  return logIn(chat, person.email, { isKept, host })
}

/** Returns a browser that has just logged in with PASSWORD. */
export async function logIn(
  chat: Chat,
  email: string,
  { isKept = false, host }: { isKept?: boolean; host?: string | undefined } = {},
): Promise<Browser> {
  const browser = openBrowser(chat, host === undefined ? {} : { host })
  await browser.open('/login/')
  const home = await browser.submit({ email, password: PASSWORD, keep: isKept ? 'on' : '' })
  assert.equal(home.path, '/', home.text)
  return browser
}

/** Adds an authenticator app to the account of the browser. Returns its secret and the recovery codes. */
export async function addApp(chat: Chat, browser: Browser) {
  const { secret, key } = await browser.call('POST /users/me/totp/secret')
  const code = generateSync({ secret, epoch: chat.clock.now() })
  const { status, recovery_codes } = await browser.call('POST /users/me/totp', { key, code })
  assert.equal(status, 200)
  return { secret: secret as string, codes: recovery_codes as string[] }
}

/** Starts a server with Ada, who has a password. */
export async function startWithPassword(settings: Parameters<typeof startChat>[0] = {}) {
  const chat = await startChat(settings)
  const ada = await chat.user('ada')
  await submitPassword(chat, ada)
  return { chat, ada }
}

export const sessionsOf = async ({ app }: Chat) => app.services.db.selectFrom('sessions').selectAll().execute()

import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../test/storage.ts'
import { readSettings, settingDeclarations } from './config.ts'
import { findServerSecret } from './storage/open-storage.ts'

test('the operating manual lists every setting with the default and description of the program', () => {
  const manual = readFileSync(new URL('../docs/operating.md', import.meta.url), 'utf8')

  for (const [name, { fallback, about }] of Object.entries(settingDeclarations)) {
    const text = typeof fallback === 'string' ? fallback : JSON.stringify(fallback)
    const row = `| \`${name}\` | ${text === '' ? '' : `\`${text}\``} | ${about} |`
    assert(manual.includes(row), `docs/operating.md has no row ${row}`)
  }
})

test('unset and empty settings have their defaults, and derived settings are filled in', () => {
  const settings = readSettings({ PORT: '8080', SMTP_URL: '' })

  assert.equal(settings.EXTERNAL_URL, 'http://localhost:8080')
  assert.equal(settings.MAIL_FROM, 'noreply@localhost')
  assert.equal(settings.DATABASE_URL, 'data/parley.db')
  assert.equal(readSettings({ DATA_DIR: '/srv/parley' }).DATABASE_URL, '/srv/parley/parley.db')
  assert.deepEqual(settings.RATE_LIMITING_RULES, [[60, 200]])
})

test('SECRET_KEY takes over the secret of a file only with hex: before it', async () => {
  const DATA_DIR = await temporaryFolder()
  const content = '0123456789abcdef'.repeat(4)
  writeFileSync(join(DATA_DIR, 'secret'), `${content}\n`)
  const read = (SECRET_KEY: string) => readSettings({ DATA_DIR, SECRET_KEY })

  const [inFile, taken] = [findServerSecret(read('')), findServerSecret(read(`hex:${content}`))]

  assert.deepEqual(taken?.export(), inFile?.export())
  assert.notDeepEqual(findServerSecret(read('f'.repeat(64)))?.export(), inFile?.export())
  assert.throws(() => read(content), /SECRET_KEY: is the text of the file `secret`.*Write hex: before it/)
  assert.throws(() => read(`hex:${content}0`), /SECRET_KEY: needs the content of a file/)
})

test('all invalid settings are reported at once', () => {
  const wrong = {
    PORT: 'x',
    RATE_LIMITING: '1',
    RATE_LIMITING_RULES: '{',
    EXTERNAL_URL: 'nowhere',
    SECRET_KEY: 'short',
  }

  assert.throws(
    () => readSettings(wrong),
    (error: Error) => {
      return Object.keys(wrong).every((name) => error.message.includes(name))
    },
  )
})

test('hosts that are not public are named as hosts, addresses or networks', () => {
  for (const name of ['EXTERNAL_CONTENT_PRIVATE_HOSTS', 'OUTGOING_WEBHOOK_PRIVATE_HOSTS'] as const) {
    const message = new RegExp(`${name}: `)
    for (const wrong of ['wiki.internal', '["http://wiki.internal"]', '["10.1.0.0/99"]', '[7]'])
      assert.throws(() => readSettings({ [name]: wrong }), { message }, wrong)
    assert.deepEqual(readSettings({ [name]: '["wiki.internal", "10.1.0.0/16"]' })[name], [
      'wiki.internal',
      '10.1.0.0/16',
    ])
  }
})

test('organizations are created by everyone only at a host that can have subdomains', () => {
  const read = (EXTERNAL_URL: string) => readSettings({ OPEN_REALM_CREATION: 'true', EXTERNAL_URL })

  for (const url of ['http://192.0.2.1:9991', 'https://[2001:db8::1]'])
    assert.throws(() => read(url), /OPEN_REALM_CREATION: needs an EXTERNAL_URL with a host name/)
  assert.equal(read('https://chat.example.com').OPEN_REALM_CREATION, true)
})

test('settings that need each other are set together', () => {
  const pairs = [
    ['BIG_BLUE_BUTTON_URL', 'BIG_BLUE_BUTTON_SECRET'],
    ['MAIL_IN_TLS_CERT', 'MAIL_IN_TLS_KEY'],
  ] as const

  for (const [one, other] of pairs) {
    const message = new RegExp(`${one}, ${other}: need each other`)
    assert.throws(() => readSettings({ [one]: 'https://calls.example' }), { message })
    assert.throws(() => readSettings({ [other]: 'secret' }), { message })
    assert.equal(readSettings({ [one]: 'https://calls.example', [other]: 'secret' })[one], 'https://calls.example')
  }
})

test('several databases are refused with settings that contradict them, and in wrong numbers', () => {
  const urls = (count: number) => Array.from({ length: count }, (_, at) => `postgres://db${at}/parley`).join(', ')
  const https = { HTTPS: 'auto', EXTERNAL_URL: 'https://chat.example.com' }
  const wrong: [Record<string, string>, RegExp][] = [
    [{ DATABASE_URLS: urls(1) }, /DATABASE_URLS: must name 2 to 16 databases; a single one belongs in DATABASE_URL/],
    [{ DATABASE_URLS: urls(17) }, /DATABASE_URLS: must name 2 to 16 databases/],
    [{ DATABASE_URLS: `${urls(2)}, ${urls(1)}` }, /DATABASE_URLS: /],
    [{ DATABASE_URLS: urls(2), ...https }, /DATABASE_URLS, HTTPS=auto: cannot be combined/],
    [{ DATABASE_URLS: urls(2), DATABASE_URL: 'postgres://db1/parley' }, /DATABASE_URL, DATABASE_URLS: /],
  ]
  for (const [settings, message] of wrong) assert.throws(() => readSettings(settings), { message })
  assert.equal(readSettings({ DATABASE_URLS: urls(16) }).DATABASE_URLS, urls(16))
})

test('https is refused with settings that contradict it, with what to do', () => {
  const auto = { HTTPS: 'auto', EXTERNAL_URL: 'https://chat.example.com' }
  const own = { HTTPS_CERT: '/cert.pem', HTTPS_KEY: '/key.pem' }
  const wrong: [Record<string, string>, RegExp][] = [
    [{ HTTPS: 'auto' }, /EXTERNAL_URL: must begin with https:/],
    [{ ...own, EXTERNAL_URL: 'http://chat.example.com' }, /EXTERNAL_URL: must begin with https:/],
    [{ ...auto, EXTERNAL_URL: 'https://192.0.2.1' }, /HTTPS=auto: needs an EXTERNAL_URL with a host name/],
    [{ ...auto, EXTERNAL_URL: 'https://chat.local' }, /HTTPS=auto: needs an EXTERNAL_URL of a host in public DNS/],
    [{ ...auto, ...own }, /HTTPS, HTTPS_CERT: only one of them/],
    [{ ...auto, HTTP_PORT: '0' }, /HTTPS=auto: needs an HTTP_PORT/],
    [{ ...auto, SEVERAL_NODES: 'true' }, /HTTPS=auto: does not work with SEVERAL_NODES/],
    [{ ...auto, TRUST_X_REAL_IP: 'true' }, /HTTPS=auto, TRUST_X_REAL_IP: only one of them/],
    [{ ...auto, ACME_DIRECTORY_URL: 'http://ca.example.com' }, /ACME_DIRECTORY_URL: must begin with https:/],
    [{ ...auto, ACME_EMAIL: 'me' }, /ACME_EMAIL: must be an email address/],
    [{ HTTPS: 'true' }, /HTTPS: /],
    [{ HTTPS_CERT: '/cert.pem' }, /HTTPS_CERT, HTTPS_KEY: need each other/],
    [{ TRUSTED_PROXIES: '127.0.0.1, 0.0.0.0/00' }, /TRUSTED_PROXIES: .*not all addresses.*unlike 0\.0\.0\.0\/00/],
    [{ TRUSTED_PROXIES: '10.0.0.0/8, proxy.internal' }, /TRUSTED_PROXIES: .*unlike proxy\.internal/],
  ]

  for (const [settings, message] of wrong) assert.throws(() => readSettings(settings), { message })
  const { PORT, LISTEN_HOST } = readSettings(auto)
  assert.deepEqual([PORT, LISTEN_HOST], [443, '*'])
  assert.equal(readSettings({ ...auto, PORT: '9443' }).PORT, 9443)
  assert.equal(readSettings({ ...own, EXTERNAL_URL: 'https://192.0.2.1:8443' }).PORT, 8443)
})

test('secrets can be in files, which are never quoted', async () => {
  const folder = await temporaryFolder()
  const file = join(folder, 'secret')
  writeFileSync(file, `${'s'.repeat(40)}\n`)
  const short = join(folder, 'short')
  writeFileSync(short, 'abc123')

  assert.equal(readSettings({ SECRET_KEY_FILE: file }).SECRET_KEY, 's'.repeat(40))
  const bigBlueButton = { BIG_BLUE_BUTTON_URL: 'https://calls.example', BIG_BLUE_BUTTON_SECRET_FILE: file }
  assert.equal(readSettings(bigBlueButton).BIG_BLUE_BUTTON_SECRET, 's'.repeat(40))
  const problems = {
    SECRET_KEY_FILE: short,
    SMTP_URL: 'smtp://mail',
    SMTP_URL_FILE: file,
    DATABASE_URL_FILE: '/nowhere',
  }
  assert.throws(
    () => readSettings(problems),
    ({ message }: Error) => {
      assert.match(message, /SECRET_KEY: needs at least 32 characters/)
      assert.match(message, /SMTP_URL, SMTP_URL_FILE: only one of them can be set/)
      assert.match(message, /DATABASE_URL_FILE: cannot be read by the account of this process \(ENOENT\)/)
      return !message.includes('abc123')
    },
  )
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { htmlToMarkdown } from './html-to-markdown.ts'
import { parseMail, UnreadableMail } from './parse-mail.ts'

const options = { keepsQuotes: false, keepsFooter: false, prefersHtml: false }
const read = (raw: string | Buffer, others: Partial<typeof options> = {}) =>
  parseMail({ raw: Buffer.from(raw), options: { ...options, ...others } })
const isUnreadable = (error: unknown) => error instanceof UnreadableMail

const nested = (depth: number) =>
  Array.from({ length: depth }, (_, at) => `Content-Type: multipart/mixed; boundary=b${at}\r\n\r\n--b${at}\r\n`).join(
    '',
  )

test('deeply nested parts and huge headers are refused', async () => {
  await assert.rejects(read(`Subject: a\r\n${nested(5000)}`), isUnreadable)
  await assert.rejects(read(`Subject: ${'a'.repeat(2_000_000)}\r\n\r\nhi`), isUnreadable)
  await assert.rejects(read(`${'X-A: b\r\n'.repeat(100_000)}\r\nhi`), isUnreadable)
})

test('emails without headers, without a text, and with bytes of any kind are read', async () => {
  const bytes = Buffer.from(Array.from({ length: 5000 }, (_, at) => (at * 7919) % 256))

  assert.equal((await read('')).body, '')
  assert.equal((await read('just a text')).from.address, '')
  assert.equal(typeof (await read(bytes)).body, 'string')
  assert.equal(
    typeof (await read(Buffer.concat([Buffer.from('Content-Type: text/html\r\n\r\n'), bytes]))).body,
    'string',
  )
})

test('wrong and unknown character sets become text without control characters', async () => {
  const head = (charset: string) =>
    Buffer.from(`Subject: =?${charset}?Q?=FF=FE?=\r\nContent-Type: text/plain; charset=${charset}\r\n\r\n`)
  for (const charset of ['utf-8', 'utf-16le', 'x-nonsense', 'iso-2022-jp', 'utf-7', '"', 'constructor']) {
    const { body, subject } = await read(
      Buffer.concat([head(charset), Buffer.from([0xff, 0xfe, 0, 0x1b, 0x24, 0x42, 65])]),
    )
    assert.ok(body.isWellFormed() && subject.isWellFormed(), charset)
    assert.doesNotMatch(body + subject, /[\0-\x08\x1b]/, charset)
  }
})

test('names of senders and files cannot break lines or look like others', async () => {
  const mail = [
    'From: =?utf-8?B?QWRhCkJjYzogYkBleGFtcGxlLm9yZ+KAriEh?= <ada@example.com>',
    'Subject: a\tb\u2028c',
    'Content-Type: multipart/mixed; boundary=x\r\n',
    '--x\r\nContent-Type: text/plain\r\n\r\nhi',
    '--x\r\nContent-Type: application/pdf; name="../../etc\\passwd\u0007.pdf"\r\nContent-Disposition: attachment\r\n\r\npdf',
    '--x--',
  ].join('\r\n')

  const { from, subject, files } = await read(mail)

  assert.equal(from.name, 'Ada Bcc: b@example.org !!')
  assert.equal(subject, 'a b c')
  assert.doesNotMatch(files[0]?.name ?? '', /[\0-\x1f]/)
})

test('many parts are bounded, and emails within emails become files', async () => {
  const part = '--x\r\nContent-Type: message/rfc822\r\n\r\nSubject: inner\r\n\r\nhi\r\n'

  const { files, omittedFiles, body } = await read(
    `Content-Type: multipart/mixed; boundary=x\r\n\r\n${part.repeat(100)}--x--`,
  )

  assert.deepEqual([files.length, omittedFiles, body, files[0]?.name], [20, 80, '', 'message.eml'])
})

test('an email that takes too long to read is refused, and does not keep the next one from being read', async () => {
  const deep = `Content-Type: text/html\r\n\r\n${'<div>'.repeat(90_000)}`

  await assert.rejects(parseMail({ raw: Buffer.from(deep), options }, { cpu: 1, elapsed: 1 }), isUnreadable)
  assert.equal((await read('Subject: a\r\n\r\nhi')).body, 'hi')
})

test('no HTML makes mentions, commands, pictures or links to code', () => {
  const markdown = htmlToMarkdown(
    `<p>@<b>**all**</b> @_**Ada** #**design>tea** \`\`\`x $$y$$ :smile: <time:2026></p>
     <a href="javascript:alert(1)">a</a> <a href="https://e.example/(x)[y]">b]( c</a> <a href="data:text/html,x">d</a>
     <img src="https://t.example/1.png" alt="![](https://t.example/2.png)"><svg><image href="https://t.example/3.png"/></svg>
     <div style="display:none">hidden</div><style>*{}</style>`,
    { keepsQuotes: true, keepsSignature: true },
  )

  assert.doesNotMatch(markdown, /@\*\*|@_\*\*|#\*\*|```|\$\$|javascript|data:|t\.example|hidden|\{\}/)
  assert.match(markdown, /\[b&#93;\( c\]\(https:\/\/e\.example\/%28x%29%5by%5d\)/)
})

test('headings, lists, quotes, tables and code of HTML become Markdown', () => {
  const markdown = htmlToMarkdown(
    `<h2>Head</h2><ol start="3"><li>one<ul><li>sub</li></ul></li><li>two</li></ol><blockquote>said <s>not</s></blockquote>
     <table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table><pre>if (x)\n  *y*</pre><p>a<br>b &amp; c_d</p>`,
    { keepsQuotes: false, keepsSignature: false },
  )

  assert.equal(
    markdown,
    '## Head\n\n3. one\n  * sub\n4. two\n\n> said ~~not~~\n\na b\nc\n\n```\nif (x)\n  *y*\n```\n\na\nb & c_d',
  )
})

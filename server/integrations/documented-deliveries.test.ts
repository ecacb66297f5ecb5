import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { findIntegration, integrations } from './catalogue.ts'

// Services without real deliveries: these are written from what their vendors document.

type Documented = {
  integration: string
  /** JSON, or the fields of a form. */
  payload?: object
  form?: Record<string, string>
  topic: string
  /** Texts that the message contains. */
  contains: string[]
}

const documented: Documented[] = [
  {
    integration: 'airbrake',
    payload: {
      error: { error_class: 'ZeroDivisionError', error_message: 'divided by 0', project: { name: 'shop' } },
      airbrake_error_url: 'https://shop.airbrake.io/errors/1',
    },
    topic: 'shop',
    contains: ['[ZeroDivisionError](https://shop.airbrake.io/errors/1)', 'divided by 0'],
  },
  {
    integration: 'beanstalk',
    payload: {
      repository: { name: 'site' },
      branch: 'main',
      before: '1'.repeat(40),
      after: '2'.repeat(40),
      pusher_name: 'Ada',
      commits: [{ id: '2'.repeat(40), message: 'Fix it\n\nDetails', url: 'https://ada.beanstalkapp.com/site/2' }],
    },
    topic: 'site / main',
    contains: ['Ada pushed 1 commit to main', '(https://ada.beanstalkapp.com/site/2) Fix it'],
  },
  {
    integration: 'beanstalk',
    payload: {
      revision: 7,
      author_full_name: 'Ada',
      message: 'Fix it',
      changeset_url: 'https://ada.beanstalkapp.com/7',
    },
    topic: 'svn r7',
    contains: ['[revision 7](https://ada.beanstalkapp.com/7)', 'Fix it'],
  },
  {
    integration: 'bitbucket',
    form: {
      payload: JSON.stringify({
        canon_url: 'https://bitbucket.org',
        user: 'ada',
        repository: { name: 'site', absolute_url: '/ada/site/', is_private: true },
        commits: [{ raw_node: '3'.repeat(40), branch: 'main', message: 'Fix it', author: 'ada' }],
      }),
    },
    topic: 'site / main',
    contains: [`https://bitbucket.org/ada/site/commits/${'3'.repeat(40)}`, 'pushed'],
  },
  {
    integration: 'freshdesk',
    payload: {
      freshdesk_webhook: {
        triggered_event: '{ticket_action:created}',
        ticket_id: 11,
        ticket_subject: 'Broken',
        ticket_url: 'https://ada.freshdesk.com/helpdesk/tickets/11',
        ticket_priority: 'High',
        ticket_description: '<p>It <b>broke</b></p>',
        requester_name: 'Bob',
        requester_email: 'bob@example.com',
      },
    },
    topic: '#11: Broken',
    contains: ['Bob (bob@example.com) created [ticket #11](https://ada.freshdesk.com/helpdesk/tickets/11)', 'It broke'],
  },
  {
    integration: 'freshdesk',
    payload: {
      freshdesk_webhook: { triggered_event: '{status:{from:2,to:4}}', ticket_id: 11, ticket_subject: 'Broken' },
    },
    topic: '#11: Broken',
    contains: ['status: **Open** → **Resolved**'],
  },
  {
    integration: 'gosquared',
    payload: { concurrents: 33, siteDetails: { acct: 'GSN-1', domain: 'example.com' } },
    topic: 'GoSquared - example.com',
    contains: ['[example.com](https://www.gosquared.com/now/GSN-1)', '33 visitors'],
  },
  {
    integration: 'gosquared',
    payload: { message: { content: 'Hello?', private: false }, person: { name: 'Bob' } },
    topic: 'Live chat session - Bob',
    contains: ['Hello?'],
  },
  {
    integration: 'homeassistant',
    payload: { message: 'The door is open', topic: 'Doors' },
    topic: 'Doors',
    contains: ['The door is open'],
  },
  {
    integration: 'homeassistant',
    payload: { message: 'The door is open' },
    topic: 'homeassistant',
    contains: ['The door is open'],
  },
  {
    integration: 'mention',
    payload: { title: 'We are mentioned', url: 'https://example.com/post', description: 'A post about us' },
    topic: 'news',
    contains: ['[We are mentioned](https://example.com/post)', 'A post about us'],
  },
  {
    integration: 'opencollective',
    payload: {
      type: 'collective.member.created',
      data: { member: { memberCollective: { name: 'Bob' } }, order: { formattedAmount: '$5.00' } },
    },
    topic: 'New Member',
    contains: ['**Bob** donated **$5.00**'],
  },
  {
    integration: 'papertrail',
    form: {
      payload: JSON.stringify({
        events: [{ display_received_at: 'May 18 20:30:02', source_name: 'abc', program: 'CRON', message: 'timeout' }],
        saved_search: { name: 'Errors', html_search_url: 'https://papertrailapp.com/searches/1' },
      }),
    },
    topic: 'logs',
    contains: ['[Errors](https://papertrailapp.com/searches/1)', '**1** match', 'timeout'],
  },
  {
    integration: 'transifex',
    form: { project: 'site', resource: 'texts', language: 'de', translated: '100' },
    topic: 'site in de',
    contains: ['texts is fully translated'],
  },
  {
    integration: 'transifex',
    payload: { project: 'site', resource: 'texts', language: 'de', reviewed: 100 },
    topic: 'site in de',
    contains: ['texts is fully reviewed'],
  },
  {
    integration: 'travis',
    form: {
      payload: JSON.stringify({
        type: 'push',
        build_url: 'https://travis-ci.com/ada/site/builds/1',
        compare_url: 'https://github.com/ada/site/compare/1...2',
        status_message: 'Passed',
        author_name: 'Ada',
        commit: '4'.repeat(40),
        branch: 'main',
        repository: { name: 'site' },
      }),
    },
    topic: 'builds',
    contains: ['https://travis-ci.com/ada/site/builds/1', 'https://github.com/ada/site/compare/1...2', 'passed'],
  },
  {
    integration: 'zendesk',
    form: { ticket_id: '54', ticket_title: 'Broken', message: 'It **broke**' },
    topic: '#54: Broken',
    contains: ['It **broke**'],
  },
]

for (const { integration: name, payload, form, topic, contains } of documented) {
  test(`a documented delivery of ${name} becomes a message in "${topic}": ${contains[0]}`, () => {
    const integration = findIntegration(name)
    assert.ok(integration)
    const read = integration.read({
      rawBody: Buffer.from(JSON.stringify(payload ?? '')),
      headers: {},
      query: new Map(),
      body: new Map(Object.entries(form ?? {})),
    })
    const [message, ...others] = integration.toMessages(read, {
      topic: undefined,
      header: () => undefined,
      param: () => undefined,
      wantsBranch: () => true,
      ignoresPrivate: false,
    })
    assert.deepEqual(others, [])
    assert.equal(message?.topic, topic)
    for (const text of contains) assert.ok(message?.content.markdown.includes(text), message?.content.markdown)
  })
}

const file = path.resolve(import.meta.dirname, '../../../shared/reference/webhook-deliveries.json')
const absent = !existsSync(file) && `${file} is absent`

test('every integration has real or documented deliveries', { skip: absent }, () => {
  const real: { integration: string }[] = JSON.parse(readFileSync(file, 'utf8'))
  const tested = new Set([...real, ...documented].map(({ integration }) => integration))
  const untested = integrations.map(({ name }) => name).filter((name) => !tested.has(name))
  assert.deepEqual(untested, [])
})

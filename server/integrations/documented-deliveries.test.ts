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
    integration: 'honeybadger',
    payload: {
      event: 'occurred',
      message: '[site/production] RuntimeError: broken',
      project: { id: 1, name: 'site', environments: [] },
      fault: {
        klass: 'RuntimeError',
        message: 'broken',
        environment: 'production',
        component: 'pages',
        action: 'home',
        notices_count: 1,
        url: 'https://app.honeybadger.io/projects/1/faults/2',
      },
    },
    topic: 'site',
    contains: ['[RuntimeError](https://app.honeybadger.io/projects/1/faults/2) occurred: broken', '`pages#home`'],
  },
  {
    integration: 'honeybadger',
    payload: {
      event: 'down',
      project: { id: 1, name: 'site' },
      site: { name: 'Main site', url: 'https://site.example' },
      outage: { status: 500, reason: 'Expected 2xx status code' },
    },
    topic: 'site',
    contains: ['[Main site](https://site.example) is down (status 500): Expected 2xx status code.'],
  },
  {
    integration: 'honeybadger',
    payload: {
      event: 'deployed',
      project: { name: 'site' },
      deploy: { environment: 'production', revision: 'abc', local_username: 'ada' },
    },
    topic: 'site',
    contains: ['ada deployed abc to production.'],
  },
  {
    integration: 'librato',
    form: {
      payload: JSON.stringify({
        alert: { id: 6, name: 'cpu.high', runbook_url: 'https://runbooks.example/cpu' },
        trigger_time: 1459980000,
        conditions: [{ id: 10, type: 'above', threshold: 2, duration: 60 }],
        violations: { web1: [{ metric: 'cpu', value: 2.5, recorded_at: 1459979990, condition_violated: 10 }] },
      }),
    },
    topic: 'Alert cpu.high',
    contains: [
      '(https://metrics.librato.com/alerts/6)',
      '`cpu` of web1: 2.5 (above 2 for 60 s)',
      '(https://runbooks.example/cpu)',
    ],
  },
  {
    integration: 'librato',
    form: {
      payload: JSON.stringify({ alert: { id: 6, name: 'cpu.high' }, clear: 'normal', trigger_time: 1459980060 }),
    },
    topic: 'Alert cpu.high',
    contains: ['was cleared at <time:2016-04-06T22:01:00Z>.'],
  },
  {
    integration: 'rollbar',
    payload: {
      event_name: 'new_item',
      data: {
        item: {
          id: 272505123,
          counter: 44,
          title: 'KeyError',
          environment: 'production',
          level: 40,
          total_occurrences: 1,
        },
        occurrence: { uuid: 'abc-1' },
      },
    },
    topic: 'production',
    contains: ['[#44 KeyError](https://rollbar.com/item/uuid/?uuid=abc-1)', '**Level**: error'],
  },
  {
    integration: 'rollbar',
    payload: {
      event_name: 'deploy',
      data: { deploy: { environment: 'staging', revision: 'abc', local_username: 'ada' } },
    },
    topic: 'staging',
    contains: ['ada deployed abc to staging.'],
  },
  {
    integration: 'runscope',
    payload: {
      test_name: 'Log in',
      test_url: 'https://www.runscope.com/radar/1/2',
      test_run_url: 'https://www.runscope.com/radar/1/2/results/3',
      result: 'fail',
      bucket_name: 'Site',
      environment_name: 'production',
      requests: [
        { result: 'pass', method: 'GET', url: 'https://site.example' },
        { result: 'fail', method: 'POST', url: 'https://site.example/login' },
      ],
    },
    topic: 'Site',
    contains: [
      '[Log in](https://www.runscope.com/radar/1/2) failed',
      '1 request failed',
      'POST https://site.example/login',
    ],
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

import assert from 'node:assert/strict'
import { createHash, createHmac } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { parseForm } from '#http/params.ts'
import { findIntegration, integrations } from './catalogue.ts'

// Services without real deliveries: these are written from what their vendors document.

type Documented = {
  integration: string
  /** JSON, or the fields of a form. */
  payload?: object
  form?: Record<string, string>
  headers?: Record<string, string>
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
      repository: { name: 'site', url: 'https://ada.beanstalkapp.com/site' },
      branch: 'main',
      before: '1'.repeat(40),
      after: '2'.repeat(40),
      pusher_name: 'Ada',
      commits: [{ id: '2'.repeat(40), message: 'Fix it\n\nDetails', url: 'https://ada.beanstalkapp.com/site/2' }],
    },
    topic: 'site / main',
    contains: [
      'Ada [pushed](https://ada.beanstalkapp.com/site) 1 commit to main',
      '(https://ada.beanstalkapp.com/site/2) Fix it',
    ],
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
    contains: ['* **Status**: Open → Resolved'],
  },
  {
    integration: 'githubsponsors',
    headers: { 'x-github-event': 'sponsorship' },
    payload: { action: 'cancelled', sponsorship: { sponsor: { login: 'bob' }, tier: { name: '$5' } } },
    topic: 'sponsors',
    contains: ['bob canceled their subscription.'],
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
    integration: 'gosquared',
    payload: {
      message: { content: 'Hello?', private: false, session: { title: 'Maps' } },
      person: { status: 'visitor', name: '', _anon: { name: 'Bob' } },
    },
    topic: 'Live chat session - Maps',
    contains: ['The visitor **Bob** wrote'],
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
    contains: ['**Bob** gave **$5.00**'],
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
      '(https://metrics.librato.com/alerts#/6)',
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
    topic: 'Rollbar',
    contains: ['[#44 KeyError](https://rollbar.com/item/uuid/?uuid=abc-1)', '**Level**: error'],
  },
  {
    integration: 'rollbar',
    payload: {
      event_name: 'deploy',
      data: { deploy: { environment: 'staging', revision: 'abc', local_username: 'ada' } },
    },
    topic: 'Rollbar',
    contains: ['ada deployed abc to staging.'],
  },
  {
    integration: 'runscope',
    payload: {
      test_name: 'Log in',
      test_url: 'https://www.runscope.com/radar/1/2',
      test_run_url: 'https://www.runscope.com/radar/1/2/results/3',
      result: 'fail',
      trigger_url: 'https://api.runscope.com/radar/4/trigger',
      bucket_name: 'Site',
      environment_name: 'production',
      requests: [
        { result: 'pass', url: 'https://site.example', response_time_ms: 9, assertions: { total: 1, pass: 1 } },
        { result: 'fail', method: 'POST', url: 'https://site.example/login', assertions: { total: 1, pass: 0 } },
      ],
    },
    topic: 'Site: Log in',
    contains: [
      '`Site: Log in`: see the [results](https://www.runscope.com/radar/1/2/results/3)',
      '[run it again](https://api.runscope.com/radar/4/trigger)',
      '**Status**: failed',
      '**Total Response Time**: 9 ms',
      '**Assertions Passed**: 1 of 2',
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
    integration: 'jira',
    payload: {
      webhookEvent: 'jira:issue_updated',
      issue_event_type_name: 'issue_comment_deleted',
      user: { displayName: 'Ada' },
      issue: {
        key: 'MAP-1',
        self: 'https://jira.example/rest/api/2/issue/1',
        fields: { summary: 'Gaps', assignee: { emailAddress: 'ben@example.com' } },
      },
    },
    topic: 'MAP-1: Gaps',
    contains: [
      'Ada deleted their comment on [MAP-1: Gaps](https://jira.example/browse/MAP-1) (assigned to **ben@example.com**).',
    ],
  },
  {
    integration: 'linear',
    payload: {
      type: 'Comment',
      action: 'create',
      url: 'https://linear.app/ada/issue/MAP-1#comment-2',
      data: { body: 'Mind the coast', user: { name: 'Ada' }, issue: { title: 'Gaps' } },
    },
    topic: 'Issue: Gaps',
    contains: ['Ada [commented](https://linear.app/ada/issue/MAP-1#comment-2) on **Gaps**:', 'Mind the coast'],
  },
  {
    integration: 'opsgenie',
    payload: { action: 'Escalate', integrationName: 'Disks', escalationName: 'Night', alert: { alertId: 'a-1' } },
    topic: 'Disks',
    contains: ['(https://app.opsgenie.com/alert/V2#/show/a-1)', '**Escalation**: Night'],
  },
  ...['reassigned', 'unacknowledged'].map((verb) => ({
    integration: 'pagerduty',
    payload: {
      event: {
        event_type: `incident.${verb}`,
        agent: { summary: 'Ada', html_url: 'https://p.example/users/A' },
        data: {
          number: 3,
          title: 'Disk full',
          html_url: 'https://p.example/incidents/3',
          service: { summary: 'Disks', html_url: 'https://p.example/services/D' },
          assignees: [{ summary: 'Ben', html_url: 'https://p.example/users/B' }],
        },
      },
    },
    topic: 'Incident Disk full (#3)',
    contains:
      verb === 'reassigned'
        ? ['was reassigned to [Ben](https://p.example/users/B) by [Ada](https://p.example/users/A).']
        : [
            'of [Disks](https://p.example/services/D) was unacknowledged',
            '(assigned to [Ben](https://p.example/users/B))',
          ],
  })),
  {
    integration: 'pagerduty',
    payload: {
      event: {
        event_type: 'incident.responder.added',
        agent: { summary: 'Ada', html_url: 'https://p.example/users/A' },
        data: {
          incident: { summary: 'Disk full', html_url: 'https://p.example/incidents/3' },
          user: { summary: 'Ben', html_url: 'https://p.example/users/B' },
          message: 'Please look',
        },
      },
    },
    topic: 'Incident Disk full',
    contains: [
      'Incident [Disk full](https://p.example/incidents/3) was given another responder by [Ada]',
      'Please look',
      '**Responder**: [Ben](https://p.example/users/B)',
    ],
  },
  {
    integration: 'sentry',
    payload: {
      action: 'critical',
      data: {
        metric_alert: { title: 'Errors of atlas', alert_rule: { name: 'Many errors' } },
        description_title: 'Critical: Many errors',
        description_text: '42 events in the last minute',
        web_url: 'https://ada.sentry.io/alerts/1/',
      },
    },
    topic: 'Many errors',
    contains: ['🚨 [Critical: Many errors](https://ada.sentry.io/alerts/1/)', '42 events in the last minute'],
  },
  {
    integration: 'sentry',
    payload: {
      action: 'created',
      actor: { name: 'Ada' },
      data: { comment: 'It is the **coast**', issue_id: 42, project_slug: 'atlas' },
    },
    topic: 'atlas',
    contains: ['**Ada** created a comment on the issue 42:', 'It is the **coast**'],
  },
  {
    integration: 'trello',
    payload: {
      action: {
        type: 'moveCardToBoard',
        memberCreator: { fullName: 'Ada' },
        data: { board: { name: 'Maps', shortLink: 'b1' }, card: { name: 'Coast', shortLink: 'c1' } },
      },
    },
    topic: 'Maps',
    contains: ['Ada moved [Coast](https://trello.com/c/c1) to [Maps](https://trello.com/b/b1).'],
  },
  {
    integration: 'splunk',
    payload: { search_name: 'Errors', results_link: 'https://s.example/1', result: { host: 'db', _raw: 'a *b* 2' } },
    topic: 'Errors',
    contains: ['[Errors](https://s.example/1)', '**Source**: `Missing source`', '**Raw**: `a *b* 2`'],
  },
  {
    integration: 'semaphore',
    payload: {
      event: 'restart',
      project_name: 'atlas',
      branch_name: 'main',
      result: 'passed',
      commit: { id: '5'.repeat(40) },
    },
    topic: 'atlas/main',
    contains: ['Semaphore reported restart: passed.'],
  },
  {
    integration: 'stripe',
    payload: {
      type: 'customer.subscription.created',
      data: {
        object: { id: 'sub_1', object: 'subscription', customer: 'cus_1', plan: { id: 'p_1', nickname: 'Gold' } },
      },
    },
    topic: 'cus_1',
    contains: ['(https://dashboard.stripe.com/subscriptions/sub_1)', '[Gold](https://dashboard.stripe.com/plans/p_1)'],
  },
  {
    integration: 'stripe',
    payload: {
      type: 'charge.refund.updated',
      data: { object: { id: 're_1', object: 'refund', charge: 'py_1', amount: 250, currency: 'eur' } },
    },
    topic: 'refunds',
    contains: [
      '[Refund](https://dashboard.stripe.com/refunds/re_1) of 2.50 EUR',
      '[payment](https://dashboard.stripe.com/payments/py_1)',
    ],
  },
  {
    integration: 'stripe',
    payload: {
      type: 'invoice.updated',
      data: {
        object: { id: 'in_1', object: 'invoice', customer: 'cus_1', paid: true, amount_paid: 900, currency: 'usd' },
        previous_attributes: { paid: false, status: 'open' },
      },
    },
    topic: 'cus_1',
    contains: ['[Invoice](https://dashboard.stripe.com/invoices/in_1) of $9.00 is paid.'],
  },
  {
    integration: 'trello',
    payload: {
      action: {
        type: 'updateCheckItemStateOnCard',
        memberCreator: { fullName: 'Ada' },
        data: {
          board: { name: 'Maps' },
          card: { name: 'Coast', shortLink: 'c1' },
          checklist: { name: 'Parts' },
          checkItem: { name: 'North', state: 'complete' },
        },
      },
    },
    topic: 'Maps',
    contains: ['Ada checked **North** of **Parts** on [Coast](https://trello.com/c/c1).'],
  },
  {
    integration: 'travis',
    payload: { type: 'pull_request', status_message: 'Failed', build_url: 'https://travis-ci.com/b/1' },
    topic: 'builds',
    contains: ['(https://travis-ci.com/b/1)', 'failed'],
  },
  {
    integration: 'reviewboard',
    payload: {
      close_type: 'discarded',
      review_request: { links: { repository: { title: 'atlas' }, submitter: { title: 'ada' } } },
    },
    headers: { 'x-reviewboard-event': 'review_request_closed' },
    topic: 'atlas',
    contains: ['**ada** closed', '**Close type**: discarded'],
  },
  {
    integration: 'wordpress',
    form: { hook: 'user_register', display_name: 'Ada', user_email: 'ada@example.com' },
    topic: 'WordPress notification',
    contains: ['**Name**: Ada', '**Email**: ada@example.com'],
  },
  {
    integration: 'librato',
    payload: {
      attachments: [
        { author_name: 'Ada', title: 'Load', title_link: 'https://l.example/1', image_url: 'https://l.example/1.png' },
      ],
    },
    topic: 'Snapshots',
    contains: ['**Ada** shared [Load](https://l.example/1) ([picture](https://l.example/1.png))'],
  },
  {
    integration: 'zendesk',
    form: { ticket_id: '54', ticket_title: 'Broken', message: 'It **broke**' },
    topic: '#54: Broken',
    contains: ['It **broke**'],
  },
]

for (const { integration: name, payload, form, headers = {}, topic, contains } of documented) {
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
      header: (header) => headers[header.toLowerCase()],
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
  const ofTheirOwn = ['dialogflow', 'hellosign', 'jotform', 'slack']
  const tested = new Set([...[...real, ...documented].map(({ integration }) => integration), ...ofTheirOwn])
  const untested = integrations.map(({ name }) => name).filter((name) => !tested.has(name))
  assert.deepEqual(untested, [])
})

type Sent = { payload: object | string; headers?: Record<string, string>; isForm?: boolean; ignoresPrivate?: boolean }

/** Returns the messages of a delivery, each as its topic and content. */
function receive(service: string, { payload, headers = {}, isForm = false, ignoresPrivate = false }: Sent): string[][] {
  const integration = findIntegration(service) ?? assert.fail(service)
  const sent = isForm ? new URLSearchParams(payload as Record<string, string>).toString() : JSON.stringify(payload)
  const rawBody = Buffer.from(typeof payload === 'string' ? payload : sent)
  const body = new Map<string, string>()
  if (isForm) parseForm(rawBody.toString(), body, 0)
  const read = integration.read({ headers, query: new Map(), body, rawBody })
  const request = {
    topic: undefined,
    header: (name: string) => headers[name.toLowerCase()],
    param: () => undefined,
    wantsBranch: () => true,
    ignoresPrivate,
  }
  return integration.toMessages(read, request).map(({ topic, content }) => [topic, content.markdown])
}

const json = (service: string, payload: object, headers: Record<string, string> = {}) =>
  receive(service, { payload, headers })

const form = (service: string, payload: Record<string, string>) => receive(service, { payload, isForm: true })

test('GitLab: tests of a webhook, artifacts, and changes of merge requests', () => {
  const home = 'https://gitlab.example/ada/atlas'
  const project = { user: { name: 'Ada' }, project: { name: 'atlas', web_url: home }, repository: { name: 'atlas' } }
  const send = (event: string, object: object, more = {}) =>
    json('gitlab', { ...project, object_attributes: object, ...more }, { 'x-gitlab-event': event })

  const request = { iid: 3, title: 'Gaps', url: `${home}/-/merge_requests/3`, description: 'See `map.ts`' }
  const it = `[MR #3](${request.url})`
  assert.deepEqual(send('Merge Request Hook', { ...request, action: 'update' }), [
    ['atlas / MR #3 Gaps', `Ada updated ${it}:\n\n\`\`\` quote\nSee \`map.ts\`\n\`\`\``],
  ])
  assert.deepEqual(send('Merge Request Hook', { ...request, action: 'update', oldrev: 'abc' }), [
    ['atlas / MR #3 Gaps', `Ada added commits to ${it}.`],
  ])
  const builds = [{ id: 8, name: 'site', status: 'success', artifacts_file: { filename: 'site.zip' } }]
  const job = `${home}/-/jobs/8`
  assert.deepEqual(send('Pipeline Hook', { id: 7, ref: 'main', status: 'success' }, { builds }), [
    [
      'atlas / main',
      `[Pipeline](${home}/-/pipelines/7) succeeded:\n\n* [site](${job}) succeeded (artifacts: [browse](${job}/artifacts/browse), [download](${job}/artifacts/download))`,
    ],
  ])
  const note = { note: 'Why?', noteable_type: 'Commit', url: 'https://gitlab.example/n' }
  const commit = { id: 'a'.repeat(40), url: 'https://gitlab.example/c' }
  assert.deepEqual(send('Note Hook', note, { commit }), [
    [
      'atlas',
      'Ada [commented](https://gitlab.example/n) on [aaaaaaaaaaa](https://gitlab.example/c):\n\n``` quote\nWhy?\n```',
    ],
  ])
  assert.deepEqual(send('Test Hook', request), [
    ['atlas', 'GitLab webhook for **atlas** is set up. Events will appear here.'],
  ])
})

test('Bitbucket Cloud: branches of merged pull requests, changes of repositories, and tags with a wrong header', () => {
  const links = (href: string) => ({ links: { html: { href } } })
  const base = { actor: { display_name: 'Ada' }, repository: { name: 'atlas' } }
  const send = (event: string, payload: object) => json('bitbucket2', { ...base, ...payload }, { 'x-event-key': event })

  const branches = { source: { branch: { name: 'gaps' } }, destination: { branch: { name: 'main' } } }
  const pullrequest = { id: 1, title: 'Maps', ...branches, ...links('https://b.example/1') }
  assert.deepEqual(send('pullrequest:fulfilled', { pullrequest }), [
    ['atlas / PR #1 Maps', 'Ada merged [PR #1](https://b.example/1) from `gaps` to `main`.'],
  ])
  const changes = { name: { old: 'map', new: 'atlas' }, website: { old: '', new: 'https://a.example' }, links: {} }
  assert.deepEqual(send('repo:updated', { changes }), [
    [
      'atlas',
      'Ada changed the repository **atlas**:\n\n* the website is **https://a.example** now\n* the name is **atlas** now, not **map**',
    ],
  ])
  const tag = { type: 'tag', name: 'v1', ...links('https://b.example/v1') }
  assert.deepEqual(send('pullrequest:push', { push: { changes: [{ new: tag, old: null }] } }), [
    ['atlas', 'Ada pushed the tag [v1](https://b.example/v1).'],
  ])
})

test('Gitea: the branches of pull requests, except after an edit', () => {
  const repository = { name: 'atlas', html_url: 'https://git.example/ada/atlas' }
  const pull = { id: 13, number: 2, title: 'Maps', html_url: 'https://git.example/pulls/2' }
  const branches = { head: { ref: 'gaps' }, base: { ref: 'main' } }
  const send = (action: string) =>
    json(
      'gitea',
      { action, sender: { username: 'ada' }, repository, pull_request: { ...pull, ...branches } },
      { 'x-gitea-event': 'pull_request' },
    )
  const topic = 'atlas / PR #13 Maps'
  const it = '[PR #2](https://git.example/pulls/2)'
  assert.deepEqual(send('reopened'), [[topic, `ada reopened ${it} from \`gaps\` to \`main\`.`]])
  assert.deepEqual(send('edited'), [[topic, `ada edited ${it}.`]])
})

test('Azure DevOps: details of updates, and merges only if they succeeded', () => {
  const resource = { repository: { name: 'atlas' }, pullRequestId: 2, title: 'Maps', createdBy: { displayName: 'Ada' } }
  const send = (kind: string, more: object, markdown = '') =>
    json('azuredevops', {
      eventType: `git.pullrequest.${kind}`,
      detailedMessage: { markdown },
      resource: { ...resource, ...more, sourceRefName: 'refs/heads/gaps', targetRefName: 'refs/heads/main' },
    })
  const topic = 'atlas / PR #2 Maps'
  assert.deepEqual(send('updated', { status: 'active' }, 'Ada pushed to [atlas](https://a.example/atlas)'), [
    [topic, 'Ada updated PR #2:\n\n``` quote\nAda pushed to atlas (https://a.example/atlas)\n```'],
  ])
  assert.deepEqual(send('merged', { status: 'active', mergeStatus: 'conflicts' }), [])
  assert.deepEqual(send('merged', { status: 'completed', mergeStatus: 'succeeded' }), [
    [topic, 'Ada merged PR #2 from `gaps` to `main`.'],
  ])
})

test('Alertmanager: a message for each topic and state, with the graph rather than the table', () => {
  const alert = (status: string, number: number) => ({
    status,
    labels: { instance: 'db-1', alertname: `Disk ${number}` },
    generatorURL: `https://p.example/graph?g0.tab=1&n=${number}`,
  })
  assert.deepEqual(json('alertmanager', { alerts: [alert('resolved', 1), alert('firing', 2), alert('resolved', 3)] }), [
    ['db-1', '🚨 **FIRING** Disk 2 ([graph](https://p.example/graph?g0.tab=0&n=2))'],
    [
      'db-1',
      '✅ **Resolved**\n\n* Disk 1 ([graph](https://p.example/graph?g0.tab=0&n=1))\n* Disk 3 ([graph](https://p.example/graph?g0.tab=0&n=3))',
    ],
  ])
})

test('Freshstatus and Freshping: what they send when a user tests the webhook', () => {
  const incident = { title: 'Maps load slowly', description: 'Wait', event_data: { event_type: 'INCIDENT_OPEN' } }
  const of = (messages: string[][]) => messages.map(([topic]) => topic)
  assert.deepEqual(of(json('freshstatus', { id: '1', ...incident })), ['Freshstatus'])
  assert.deepEqual(of(json('freshstatus', { id: '12', ...incident })), ['Maps load slowly'])
  const check = { check_name: 'Website', check_state_name: 'Available' }
  const sent = (application: string) => ({ webhook_event_data: { ...check, application_name: application } })
  assert.deepEqual(of(json('freshping', sent('Webhook test'))), ['Freshping'])
  assert.deepEqual(of(json('freshping', sent('Atlas'))), ['Website'])
})

test('Grafana and Harbor: alerts without a name, and the counts of a scan', () => {
  const alert = { status: 'firing', labels: { team: 'maps' }, fingerprint: 'e6349a25' }
  const topics = (...alerts: object[]) => json('grafana', { title: '[FIRING:1] db', alerts }).map(([topic]) => topic)
  assert.deepEqual(topics(alert, { ...alert, fingerprint: undefined }), ['[e6349a25]', 'db'])

  const report = { summary: { total: 5, summary: { High: 4, Unknown: 1 } } }
  const resources = [{ tag: '1.4', scan_overview: { 'application/vnd.scanner': report } }]
  const event = { resources, repository: { repo_full_name: 'maps/atlas' } }
  assert.deepEqual(json('harbor', { type: 'SCANNING_COMPLETED', event_data: event }), [
    ['maps/atlas', 'The scan of `maps/atlas:1.4` found 5 vulnerabilities:\n\n* High: **4**\n* Unknown: **1**'],
  ])
})

test('GitLab: deployments, feature flags, milestones, vulnerabilities, tokens and members', () => {
  const home = 'https://gitlab.example/ada/atlas'
  const project = { user: { name: 'Ada' }, project: { name: 'atlas', web_url: home } }
  const send = (event: string, payload: object) => json('gitlab', payload, { 'x-gitlab-event': `${event} Hook` })

  const commit = { short_sha: '279484c0', commit_url: 'https://gitlab.example/c', commit_title: 'Fix gaps' }
  const deployment = { status: 'failed', environment: 'staging', deployable_url: 'https://gitlab.example/job' }
  assert.deepEqual(send('Deployment', { ...project, ...deployment, ...commit }), [
    [
      'atlas / Deployment on staging',
      'The [deployment](https://gitlab.example/job) of [279484c0](https://gitlab.example/c) (Fix gaps) on staging, started by Ada, failed.',
    ],
  ])
  assert.deepEqual(send('Feature Flag', { ...project, object_attributes: { name: 'maps', active: true } }), [
    ['atlas', 'Ada turned the feature flag `maps` on.'],
  ])
  assert.deepEqual(send('Milestone', { ...project, action: 'close', object_attributes: { iid: 2, title: '1.0' } }), [
    ['atlas', `Ada closed the milestone [1.0](${home}/-/milestones/2).`],
  ])
  const found = { title: 'XSS', url: 'https://gitlab.example/v', state: 'confirmed', severity: 'high' }
  assert.deepEqual(send('Vulnerability', { object_attributes: found }), [
    ['vulnerabilities', 'The vulnerability [XSS](https://gitlab.example/v) (severity: high) is confirmed.'],
  ])
  const token = { name: 'deploys', expires_at: '2026-12-24' }
  assert.deepEqual(send('Resource Access Token', { ...project, object_attributes: token }), [
    ['atlas', 'The access token **deploys** expires on 2026-12-24.'],
  ])
  const added = { event_name: 'user_add_to_group', group_name: 'maps', user_name: 'Ben', group_access: 'Guest' }
  assert.deepEqual(send('Member', added), [['maps', 'Ben was added to maps as Guest.']])
})

test('GitHub: alerts, workflows, packages and rules', () => {
  const home = 'https://github.com/ada/atlas'
  const base = { repository: { name: 'atlas', html_url: home }, sender: { login: 'ada' } }
  const send = (event: string, payload: object) =>
    json('github', { action: 'created', ...base, ...payload }, { 'x-github-event': event })

  const alert = { number: 4, html_url: `${home}/security/4` }
  const advisory = { summary: 'Prototype pollution', severity: 'high' }
  assert.deepEqual(send('dependabot_alert', { alert: { ...alert, security_advisory: advisory } }), [
    ['atlas / security', `[Alert #4](${home}/security/4) was created by ada: Prototype pollution (severity: high)`],
  ])
  assert.deepEqual(send('secret_scanning_alert', { action: 'resolved', alert: { ...alert, secret_type: 'a_key' } }), [
    ['atlas / security', `[Alert #4](${home}/security/4) was resolved by ada: a_key`],
  ])
  const run = {
    name: 'Tests',
    html_url: `${home}/runs/1`,
    conclusion: 'failure',
    head_branch: 'main',
    head_sha: 'a'.repeat(40),
  }
  assert.deepEqual(send('workflow_run', { action: 'completed', workflow_run: run }), [
    [
      'atlas / checks',
      `The workflow [Tests](${home}/runs/1) completed (failure) for [aaaaaaaaaaa](${home}/commit/${run.head_sha}) on main.`,
    ],
  ])
  assert.deepEqual(send('workflow_run', { action: 'requested', workflow_run: run }), [])
  const version = { version: '1.2', html_url: `${home}/packages/1` }
  assert.deepEqual(send('package', { action: 'published', package: { name: 'atlas', package_version: version } }), [
    ['atlas', `ada published the package [atlas 1.2](${home}/packages/1).`],
  ])
  assert.deepEqual(send('branch_protection_rule', { action: 'edited', rule: { name: 'main' } }), [
    ['atlas', 'ada edited the branch protection rule **main**.'],
  ])
})

test('Azure DevOps: events in its own words, in the topic of their pull request, repository, build or project', () => {
  const send = (eventType: string, resource: object, markdown = 'Bug 5 ([Gaps](https://a.example/5)) was created') =>
    json('azuredevops', { eventType, message: { markdown }, resource })
  const said = 'Bug 5 (Gaps (https://a.example/5)) was created'
  assert.deepEqual(send('workitem.created', { fields: { 'System.TeamProject': 'Maps' } }), [['Maps', said]])
  assert.deepEqual(send('build.complete', { definition: { name: 'Nightly' } }), [['Nightly', said]])
  const pull = { repository: { name: 'atlas' }, pullRequestId: 2, title: 'Maps' }
  assert.deepEqual(send('ms.vss-code.git-pullrequest-comment-event', { pullRequest: pull }), [
    ['atlas / PR #2 Maps', said],
  ])
})

test('Azure DevOps and GitLab: the URL can leave out private projects, whatever the event', () => {
  const send = (service: string, payload: object, headers = {}) =>
    receive(service, { payload, headers, ignoresPrivate: true }).length
  const project = (visibility: string) => ({ project: { visibility } })
  const azure = (eventType: string, resource: object) =>
    send('azuredevops', { eventType, message: { text: 'Something happened' }, resource })
  const pull = { repository: { name: 'atlas', ...project('private') }, pullRequestId: 2, title: 'Maps' }
  const counts = [
    azure('git.repo.created', { repository: { name: 'atlas', ...project('public') } }),
    azure('git.repo.created', { repository: { name: 'atlas', ...project('private') } }),
    azure('build.complete', project('private')),
    azure('ms.vss-code.git-pullrequest-comment-event', { pullRequest: pull }),
    ...[20, 0].map((level) => {
      const payload = { project: { name: 'atlas', visibility_level: level }, object_attributes: { name: 'deploys' } }
      return send('gitlab', payload, { 'x-gitlab-event': 'Resource Access Token Hook' })
    }),
  ]
  assert.deepEqual(counts, [1, 0, 0, 0, 1, 0])
})

test('Gitea: reviews, wiki pages and repositories', () => {
  const repository = { name: 'atlas', html_url: 'https://git.example/ada/atlas' }
  const send = (event: string, payload: object) =>
    json('gitea', { sender: { username: 'ada' }, repository, ...payload }, { 'x-gitea-event': event })
  const pull = { id: 13, number: 2, title: 'Maps', html_url: 'https://git.example/pulls/2' }
  assert.deepEqual(send('pull_request_rejected', { pull_request: pull, review: { content: 'No gaps, please' } }), [
    [
      'atlas / PR #13 Maps',
      'ada requested changes to [PR #2](https://git.example/pulls/2):\n\n``` quote\nNo gaps, please\n```',
    ],
  ])
  assert.deepEqual(send('wiki', { action: 'edited', page: 'Home page' }), [
    ['atlas / wiki pages', 'ada edited the wiki page [Home page](https://git.example/ada/atlas/wiki/Home%20page).'],
  ])
  assert.deepEqual(send('repository', { action: 'deleted' }), [['atlas', 'ada deleted the repository atlas.']])
})

test('Shortcut: a request without content is no mistake', () => {
  for (const body of ['', 'null']) assert.deepEqual(receive('clubhouse', { payload: body }), [])
})

test('Bitbucket: resolved comments, and requests for changes on a server of its own', () => {
  const links = (href: string) => ({ links: { html: { href }, self: [{ href }] } })
  const comment = { content: { raw: 'Gaps?' }, ...links('https://b.example/c') }
  const pullrequest = { id: 1, title: 'Maps', ...links('https://b.example/1') }
  const cloud = { actor: { display_name: 'Ada' }, repository: { name: 'atlas' }, pullrequest, comment }
  assert.deepEqual(json('bitbucket2', cloud, { 'x-event-key': 'pullrequest:comment_resolved' }), [
    [
      'atlas / PR #1 Maps',
      'Ada resolved a [comment](https://b.example/c) on [PR #1](https://b.example/1):\n\n``` quote\nGaps?\n```',
    ],
  ])
  const server = { ...pullrequest, toRef: { displayId: 'main', repository: { name: 'atlas' } } }
  assert.deepEqual(
    json('bitbucket3', { eventKey: 'pr:reviewer:changes_requested', actor: { name: 'ada' }, pullRequest: server }),
    [['atlas / PR #1 Maps', 'ada requested changes to [PR #1](https://b.example/1)']],
  )
})

test('Intercom: teammates, articles and contacts of companies', () => {
  const send = (topic: string, item: object) => json('intercom', { topic, data: { item } })
  assert.deepEqual(send('admin.away_mode_updated', { name: 'Ada', away_mode_enabled: true }), [
    ['Team', 'Ada is away.'],
  ])
  assert.deepEqual(send('article.published', { title: 'North', url: 'https://help.example/north' }), [
    ['Articles', 'The article [North](https://help.example/north) was published.'],
  ])
  assert.deepEqual(send('company.contact.attached', { company: { name: 'Atlas' }, contact: { name: 'Ben' } }), [
    ['Companies', 'Ben now belongs to the company **Atlas**.'],
  ])
})

test('GitHub: the edit without changes that follows a review is ignored', () => {
  const review = { state: 'commented', body: 'Fine', html_url: 'https://github.com/r' }
  const pull = { number: 1, title: 'Maps', html_url: 'https://github.com/1' }
  const base = { sender: { login: 'ada' }, repository: { name: 'atlas' }, pull_request: pull, review }
  const send = (action: string, changes?: object) =>
    json('github', { ...base, action, changes }, { 'x-github-event': 'pull_request_review' }).length
  assert.equal(send('submitted'), 1)
  assert.equal(send('edited', {}), 0)
  assert.equal(send('edited', { body: { from: 'Good' } }), 1)
})

test('GitHub: the text of a pull request is shown when it changes, not after every push', () => {
  const pull = { number: 1, title: 'Maps', html_url: 'https://github.com/1', body: 'Closes #2' }
  const base = { sender: { login: 'ada' }, repository: { name: 'atlas' }, pull_request: pull }
  const send = (action: string, changes?: object) =>
    json('github', { ...base, action, changes }, { 'x-github-event': 'pull_request' })[0]?.[1]
  const it = '[PR #1](https://github.com/1)'
  assert.equal(send('synchronize'), `ada updated ${it}.`)
  assert.equal(send('edited', { title: { from: 'Map' } }), `ada edited ${it}.`)
  assert.equal(send('edited', { body: { from: '' } }), `ada edited ${it}:\n\n\`\`\` quote\nCloses #2\n\`\`\``)
})

test('GitHub: other changes of a team', () => {
  const changes = { parent: {}, notification: {} }
  const payload = { action: 'edited', team: { name: 'maps' }, changes }
  assert.deepEqual(json('github', payload, { 'x-github-event': 'team' }), [
    ['team maps', 'The team changed: `notification/parent`.'],
  ])
  assert.deepEqual(json('github', { action: 'created' }, { 'x-github-event': 'team' }), [])
})

test('if the URL names the topic, messages about repositories name theirs', () => {
  const integration = findIntegration('beanstalk')
  const push = { repository: { name: 'atlas' }, branch: 'main', commits: [], pusher_name: 'Ada' }
  const messages = integration?.toMessages(push, {
    topic: 'news',
    header: () => undefined,
    param: () => undefined,
    wantsBranch: () => true,
    ignoresPrivate: false,
  })
  assert.deepEqual(
    messages?.map(({ content }) => content.markdown),
    ['**atlas / main**: Ada pushed the branch main.'],
  )
})

test('Freshdesk: tickets, changes of their properties, and notes', () => {
  const ticket = {
    ticket_id: '11',
    ticket_subject: 'Printer',
    ticket_url: 'https://ada.freshdesk.com/a/tickets/11',
    requester_name: 'Ada',
  }
  const url = '[ticket #11](https://ada.freshdesk.com/a/tickets/11)'
  const send = (event: string, more = {}) =>
    json('freshdesk', { freshdesk_webhook: { ...ticket, triggered_event: event, ...more } })

  assert.deepEqual(
    send('{ticket_action:created}', { ticket_description: '<p>It burns</p>', ticket_priority: 'High' }),
    [['#11: Printer', `Ada created ${url}:\n\n\`\`\` quote\nIt burns\n\`\`\`\n\n* **Priority**: High`]],
  )
  assert.deepEqual(send('{status:{from:2,to:5}}'), [
    ['#11: Printer', `Ada updated ${url}:\n* **Status**: Open → Closed`],
  ])
  assert.deepEqual(send('{unknown:{from:2,to:5}}'), [])
  assert.deepEqual(send('{note_type:private}'), [['#11: Printer', `Ada added a private note to ${url}.`]])
})

test('Zendesk: the message of a trigger, as JSON and as a form', () => {
  const payload = { ticket_id: '5', ticket_title: 'Help', message: 'New **ticket**' }
  assert.deepEqual(json('zendesk', payload), [['#5: Help', 'New **ticket**']])
  assert.deepEqual(form('zendesk', payload), [['#5: Help', 'New **ticket**']])
})

test('Jotform: the answers and the files of a submission', () => {
  assert.deepEqual(
    form('jotform', { formTitle: 'Tutors', submissionID: '7', pretty: 'Name:Ada, At:1, Road', rawRequest: '{' }),
    [['Tutors', 'There is a new submission (7):\n* **Name**: Ada\n* **At**: 1, Road']],
  )
  const answers = {
    q1_plan: '',
    q2_note: 'first: north, then: south',
    q3_days: ['Mo', 'Fr'],
    q4_name: { last: 'Byron' },
  }
  const files = [
    'https://www.jotform.com/uploads/ada/1/2/my%20plan.pdf',
    'https://www.jotform.com/uploads/ada/1/2/b.png',
  ]
  assert.deepEqual(
    form('jotform', {
      formTitle: 'Maps',
      pretty:
        'Where, and when: exactly?:first: north, then: south, Days:Mo Fr, Address:1 Road, Name:Byron, Plans:my plan.pdf b.png',
      rawRequest: JSON.stringify({ ...answers, plans: files }),
    }),
    [
      [
        'Maps',
        `There is a new submission:\n* **Where, and when: exactly?**: first: north, then: south\n* **Days**: Mo Fr\n* **Address**: 1 Road\n* **Name**: Byron\n* **Plans**: [my plan.pdf](${files[0]}), [b.png](${files[1]})`,
      ],
    ],
  )
})

test('Open Collective: contributions, incognito ones too, and expenses', () => {
  const member = (name: string) => ({
    type: 'collective.member.created',
    data: { member: { memberCollective: { name, slug: 'ada' } }, order: { totalAmount: 150, currency: 'EUR' } },
  })
  assert.deepEqual(json('opencollective', member('Ada')), [
    ['New Member', '[**Ada**](https://opencollective.com/ada) gave **1.50 EUR**. 🎉'],
  ])
  assert.deepEqual(json('opencollective', member('incognito')), [
    ['New Member', 'An **Incognito** member gave **1.50 EUR**. 🎉'],
  ])
  const expense = { description: 'Hosting', amount: 900, currency: 'EUR' }
  assert.deepEqual(json('opencollective', { type: 'collective.expense.paid', data: { expense } }), [
    ['Expenses', 'The expense Hosting of **9.00 EUR** was paid.'],
  ])
})

test('Dropbox Sign: who signed, who is awaited, and the end', () => {
  const send = (type: string) =>
    form('hellosign', {
      json: JSON.stringify({
        event: { event_type: type },
        signature_request: {
          title: 'NDA',
          signatures: [
            { signer_name: 'Ada', status_code: 'signed' },
            { signer_name: 'Ben', status_code: 'awaiting_signature' },
          ],
        },
      }),
    })
  assert.deepEqual(send('signature_request_signed'), [
    ['NDA', 'The document `NDA` was signed by Ada and awaits the signature of Ben.'],
  ])
  assert.deepEqual(send('signature_request_all_signed'), [['NDA', 'The document `NDA` was signed by all.']])
  assert.deepEqual(send('callback_test'), [])
})

test('Mention, Transifex, GoSquared, Dialogflow and Home Assistant', () => {
  assert.deepEqual(json('mention', { title: 'On engines', url: 'https://news.example/1', description: 'Ada wrote' }), [
    ['news', '**[On engines](https://news.example/1)**:\n\n``` quote\nAda wrote\n```'],
  ])
  const language = { project: 'engine', resource: 'web', language: 'de' }
  assert.deepEqual(json('transifex', { ...language, translated: 100, event: 'translation_completed' }), [
    ['engine in de', 'The resource web is fully translated.'],
  ])
  assert.deepEqual(form('transifex', { ...language, reviewed: '100' }), [
    ['engine in de', 'The resource web is fully reviewed.'],
  ])
  assert.deepEqual(json('gosquared', { siteDetails: { domain: 'ada.example', acct: 'GSN-1' }, concurrents: 33 }), [
    ['GoSquared - ada.example', '[ada.example](https://www.gosquared.com/now/GSN-1) has 33 visitors now.'],
  ])
  assert.deepEqual(json('gosquared', { message: { content: 'Hello' }, person: { name: 'Ben' } }), [
    ['Live chat session - Ben', 'The user **Ben** wrote:\n\n``` quote\nHello\n```'],
  ])
  assert.deepEqual(json('dialogflow', { status: { code: 200 }, result: { fulfillment: { speech: 'At four' } } }), [
    ['Dialogflow', 'At four'],
  ])
  assert.deepEqual(json('dialogflow', { queryResult: { queryText: 'When?', fulfillmentText: '' } }), [
    ['Dialogflow', 'There is no answer to: When?'],
  ])
  assert.deepEqual(json('homeassistant', { message: 'The light is on', title: 'Kitchen' }), [
    ['homeassistant', '**Kitchen**\nThe light is on'],
  ])
})

test('Slack: messages of outgoing webhooks and of the Events API, but none of bots', () => {
  const outgoing = { token: 'x', channel_name: 'general', user_name: 'ada', text: '*Hi* <https://a.example|there>' }
  assert.deepEqual(form('slack', outgoing), [['Message from Slack', '**ada**: **Hi** [there](https://a.example)']])
  const files = [{ title: 'a.png', permalink: 'https://ada.slack.com/files/U1/F1/a.png' }]
  const event = { type: 'message', channel: 'C1', user: 'U1', text: 'Hi <@U2> <!here> <#C2|maps>', files }
  assert.deepEqual(json('slack', { type: 'event_callback', event }), [
    [
      'Message from Slack',
      '**U1**: Hi @U2 &#64;**all** **#maps**\n\n📎 [a.png](https://ada.slack.com/files/U1/F1/a.png)',
    ],
  ])
  assert.deepEqual(json('slack', { type: 'event_callback', event: { ...event, bot_id: 'B1' } }), [])
  assert.deepEqual(json('slack', { type: 'url_verification', challenge: 'x' }), [])
})

test('deliveries that nobody needs to know cause no message', () => {
  const build = { buildFullName: 'Atlas', buildResult: 'failure', teamcityProperties: [] as object[] }
  assert.equal(json('teamcity', { build }).length, 1)
  build.teamcityProperties.push({ name: 'env.BUILD_IS_PERSONAL', value: 'true' })
  assert.deepEqual(json('teamcity', { build }), [])
  for (const type of ['copyCard', 'createCheckItem', 'updateList'])
    assert.deepEqual(json('trello', { action: { type, memberCreator: {}, data: {} } }), [])
  assert.deepEqual(json('zapier', { type: 'auth' }), [])
})

test('Shortcut: labels, files and estimates of stories, and comments on epics', () => {
  const story = {
    id: 1,
    entity_type: 'story',
    action: 'update',
    name: 'Engine',
    app_url: 'https://app.shortcut.com/s/1',
  }
  const it = 'The story [Engine](https://app.shortcut.com/s/1)'
  const send = (changes: object, ...more: object[]) =>
    json('clubhouse', { primary_id: 1, actions: [{ ...story, changes }, ...more] })

  const label = { id: 2, entity_type: 'label', action: 'create', name: 'new' }
  assert.deepEqual(send({ label_ids: { adds: [2] } }, label), [['Engine', `${it} has the new label **new**.`]])
  const file = { id: 3, entity_type: 'file', action: 'create', name: 'plan.pdf' }
  assert.deepEqual(send({ file_ids: { adds: [3] } }, file), [['Engine', `${it} has the new attachment \`plan.pdf\`.`]])
  assert.deepEqual(send({ estimate: { new: 1 } }), [['Engine', `${it} was estimated: 1 point.`]])
  const epic = { id: 4, entity_type: 'epic', action: 'update', name: 'Steam' }
  const comment = { id: 5, entity_type: 'epic-comment', action: 'create', text: 'Good' }
  assert.deepEqual(json('clubhouse', { primary_id: 5, actions: [comment, epic] }), [
    ['Steam', 'The epic **Steam** has a new comment:\n\n``` quote\nGood\n```'],
  ])
})

test('Heroku: releases of app webhooks', () => {
  const data = { app: { name: 'engine' }, version: 3, status: 'succeeded', description: 'Deploy 1a2b' }
  assert.deepEqual(
    json('heroku', { action: 'create', resource: 'release', actor: { email: 'ada@example.com' }, data }),
    [['engine', 'The release v3 of engine was created by ada@example.com (succeeded):\n\n``` quote\nDeploy 1a2b\n```']],
  )
})

test('signatures that only one service has', () => {
  const rawBody = Buffer.from('{"event": {"event_time": "1", "event_type": "a_b"}}')
  const secret = 'secret'
  const verifies = (service: string, headers: Record<string, string>, body = rawBody) =>
    findIntegration(service)?.verify?.({ rawBody: body, headers, secret, now: 0 })
  const hmac = (algorithm: string, text: string | Buffer) => createHmac(algorithm, secret).update(text)

  assert.equal(verifies('patreon', { 'x-patreon-signature': hmac('md5', rawBody).digest('hex') }), true)
  assert.equal(verifies('patreon', { 'x-patreon-signature': hmac('md5', 'other').digest('hex') }), false)

  const time = '2020-01-01T00:00:00Z'
  const zendesk = hmac('sha256', time + rawBody.toString()).digest('base64')
  const zendeskHeaders = { 'x-zendesk-webhook-signature': zendesk, 'x-zendesk-webhook-signature-timestamp': time }
  assert.equal(verifies('zendesk', zendeskHeaders), true)
  assert.equal(verifies('zendesk', { ...zendeskHeaders, 'x-zendesk-webhook-signature-timestamp': '' }), false)

  const [url, date] = ['https://chat.example/api/v1/external/transifex', 'Sun, 29 Nov 2026 12:00:00 GMT']
  const md5 = createHash('md5').update(rawBody).digest('hex')
  const transifex = hmac('sha256', `POST\n${url}\n${date}\n${md5}`).digest('base64')
  const transifexHeaders = { 'x-tx-signature-v2': transifex, 'x-tx-url': url, date }
  assert.equal(verifies('transifex', transifexHeaders), true)
  assert.equal(verifies('transifex', transifexHeaders, Buffer.from('{}')), false)
  assert.equal(verifies('transifex', { ...transifexHeaders, date: '' }), false)

  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const claims = { iss: 'netlify', sha256: createHash('sha256').update(rawBody).digest('hex') }
  const signed = `${encode({ alg: 'HS256' })}.${encode(claims)}`
  const token = `${signed}.${hmac('sha256', signed).digest('base64url')}`
  assert.equal(verifies('netlify', { 'x-webhook-signature': token }), true)
  assert.equal(verifies('netlify', { 'x-webhook-signature': token }, Buffer.from('{}')), false)
  assert.equal(verifies('netlify', { 'x-webhook-signature': `${signed}.` }), false)

  const hash = hmac('sha256', '1a_b').digest('hex')
  const event = { event_time: '1', event_type: 'a_b', event_hash: hash }
  assert.equal(verifies('hellosign', {}, Buffer.from(JSON.stringify({ event }))), true)
  assert.equal(verifies('hellosign', {}, Buffer.from(JSON.stringify({ event: { ...event, event_type: 'c' } }))), false)
})

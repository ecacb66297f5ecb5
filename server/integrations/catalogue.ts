import type { Integration } from './integration.ts'
import { airbyte } from './services/airbyte.ts'
import { alertmanager } from './services/alertmanager.ts'
import { ansibletower } from './services/ansibletower.ts'
import { appveyor } from './services/appveyor.ts'
import { azuredevops } from './services/azuredevops.ts'
import { basecamp } from './services/basecamp.ts'
import { bitbucket2 } from './services/bitbucket2.ts'
import { bitbucket3 } from './services/bitbucket3.ts'
import { buildbot } from './services/buildbot.ts'
import { circleci } from './services/circleci.ts'
import { clubhouse } from './services/clubhouse.ts'
import { codeship } from './services/codeship.ts'
import { freshping } from './services/freshping.ts'
import { freshstatus } from './services/freshstatus.ts'
import { gitea } from './services/gitea.ts'
import { github } from './services/github.ts'
import { gitlab } from './services/gitlab.ts'
import { gogs } from './services/gogs.ts'
import { grafana } from './services/grafana.ts'
import { jira } from './services/jira.ts'
import { json } from './services/json.ts'
import { linear } from './services/linear.ts'
import { newrelic } from './services/newrelic.ts'
import { opsgenie } from './services/opsgenie.ts'
import { pagerduty } from './services/pagerduty.ts'
import { pingdom } from './services/pingdom.ts'
import { raygun } from './services/raygun.ts'
import { rundeck } from './services/rundeck.ts'
import { semaphore } from './services/semaphore.ts'
import { sentry } from './services/sentry.ts'
import { slackIncoming } from './services/slack-incoming.ts'
import { sonarqube } from './services/sonarqube.ts'
import { splunk } from './services/splunk.ts'
import { statuspage } from './services/statuspage.ts'
import { stripe } from './services/stripe.ts'
import { taiga } from './services/taiga.ts'
import { teamcity } from './services/teamcity.ts'
import { travis } from './services/travis.ts'
import { trello } from './services/trello.ts'
import { updown } from './services/updown.ts'
import { uptimerobot } from './services/uptimerobot.ts'
import { wekan } from './services/wekan.ts'
import { zabbix } from './services/zabbix.ts'

/** All integrations, in alphabetical order. */
export const integrations: readonly Integration[] = [
  airbyte,
  alertmanager,
  ansibletower,
  appveyor,
  azuredevops,
  basecamp,
  bitbucket2,
  bitbucket3,
  buildbot,
  circleci,
  clubhouse,
  codeship,
  freshping,
  freshstatus,
  gitea,
  github,
  gitlab,
  gogs,
  grafana,
  jira,
  json,
  linear,
  newrelic,
  opsgenie,
  pagerduty,
  pingdom,
  raygun,
  rundeck,
  semaphore,
  sentry,
  slackIncoming,
  sonarqube,
  splunk,
  statuspage,
  stripe,
  taiga,
  teamcity,
  travis,
  trello,
  updown,
  uptimerobot,
  wekan,
  zabbix,
]

const byName = new Map(integrations.map((one) => [one.name, one]))

/** Returns the integration with this name; null if there is none. */
export const findIntegration = (name: string): Integration | null => byName.get(name) ?? null

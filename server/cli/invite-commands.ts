import { type Command, InvalidArgumentError, Option } from 'commander'
import { catchRefusal } from '#http/refusals.ts'
import { type Invitation, type InvitationOptions, invitationLinkUrl, isByEmail } from '#invitations/invitation.ts'
import { createLink } from '#invitations/links.ts'
import { resendInvitation, revokeInvitation, revokeLink } from '#invitations/manage-invitations.ts'
import { findInvitation, findPendingInvitations } from '#invitations/queries.ts'
import { sendInvitations } from '#invitations/send-invitations.ts'
import { Refusal } from '#lib/errors.ts'
import { commandLine } from '#lib/process.ts'
import { findUsersById } from '#people/user-queries.ts'
import type { Actor } from '#people/users.ts'
import type { Realm } from '#realms/realm.ts'
import { Role } from '#rules/role.ts'
import type { Transaction } from '#storage/storage.ts'
import {
  type CliContext,
  CliError,
  openCliContext,
  requireActor,
  requireChannel,
  requireGroup,
  requireOrganization,
} from './cli-context.ts'
import { addExplained, collect, print, toIsoTime } from './output.ts'

type Place = { org: string; json: boolean }

type InviteOptions = Place & {
  as?: string
  role: keyof typeof Role
  channel: string[]
  group: string[]
  defaultChannels: boolean
  days?: number
}

type LinkOptions = InviteOptions & { maxUses?: number; domain: string[] }

const roleNames = Object.keys(Role) as (keyof typeof Role)[]

const MAX_DAYS = 36_500
const MINUTES_PER_DAY = 24 * 60

function readDays(text: string): number {
  if (text === 'never') return Infinity
  const days = Number(text)
  if (!/^\d+$/.test(text) || days < 1 || days > MAX_DAYS)
    throw new InvalidArgumentError(`It must be a number from 1 to ${MAX_DAYS}, or never.`)
  return days
}

function readCount(text: string): number {
  const count = Number(text)
  if (!/^\d{1,9}$/.test(text) || count < 1) throw new InvalidArgumentError('It must be a positive number.')
  return count
}

/** Adds the commands for invitations. They are sent in the name of an account, whose permissions and limits apply. */
export function addInviteCommands(program: Command): void {
  const invite = program.command('invite').description('invite people')
  const add = (command: string, description: string, example: string) =>
    addExplained(invite, command, description, example)
      .option('--as <address>', 'account in whose name people are invited; an owner if omitted')
      .addOption(new Option('--role <role>', 'role of the new accounts').choices(roleNames).default('member'))
      .option('--channel <channel>', 'channel that they join; repeat the option for several', collect, [])
      .option('--group <group>', 'user group that they join; repeat the option for several', collect, [])
      .option('--no-default-channels', 'do not let them join the default channels')
      .option('--days <days>', 'days until the invitation expires, or never', readDays)

  add(
    'send <address...>',
    'invite addresses by email',
    'parley invite send ben@example.com --role moderator --channel design',
  ).action(send)
  add('link', 'create a link with which several people can join', 'parley invite link --max-uses 20 --days 7')
    .option('--max-uses <count>', 'number of accounts that the link creates; no limit if omitted', readCount)
    .option('--domain <domain>', 'domain that addresses must have; repeat the option for several', collect, [])
    .action(createInvitationLink)
  addExplained(invite, 'list', 'list the pending invitations and links', 'parley invite list').action(listInvitations)
  addExplained(invite, 'resend <id>', 'email an invitation again', 'parley invite resend 12').action(
    (id: string, options: Place) =>
      manage(id, options, 'sent again', (tx, actor, { id }) => resendInvitation(tx, actor, id)),
  )
  addExplained(invite, 'revoke <id>', 'make an invitation or a link stop working', 'parley invite revoke 12').action(
    (id: string, options: Place) =>
      manage(id, options, 'revoked', (tx, actor, invitation) =>
        (isByEmail(invitation) ? revokeInvitation : revokeLink)(tx, actor, invitation.id),
      ),
  )
}

async function send(emails: string[], options: InviteOptions): Promise<void> {
  await using context = await openCliContext({ org: options.org })
  const realm = await requireOrganization(context, options.org)
  const actor = await requireActor(context, realm, options.as)
  const grants = await readOptions(context, realm, options)
  const outcome = await catchRefusal(() =>
    context.storage.transaction((tx) => sendInvitations(tx, actor, emails.join(','), grants)),
  )
  if (outcome instanceof Refusal && !('errors' in outcome.extras)) throw outcome
  const isRefused = outcome instanceof Refusal
  const skipped = isRefused ? (outcome.extras['errors'] as Awaited<ReturnType<typeof sendInvitations>>) : outcome
  const reasonOf = new Map(skipped.map(([email, reason]) => [email, reason]))
  const rows = emails.map((email) => ({
    email,
    invited: !isRefused && !reasonOf.has(email),
    reason: reasonOf.get(email) ?? '',
  }))
  print(rows, options.json)
  if (isRefused) throw new CliError(outcome.message)
  if (context.settings.SMTP_URL === '' && rows.some(({ invited }) => invited))
    process.stderr.write(
      `This server sends no email yet (SMTP_URL). Copy the links from \`${commandLine('mail list')}\` and \`${commandLine('mail show ID')}\`, ` +
        `or make one link for all: \`${commandLine('invite link')}\`\n`,
    )
  if (skipped.length > 0) throw new CliError('Some addresses were not invited. The others were.')
}

async function createInvitationLink({ maxUses, domain, ...options }: LinkOptions): Promise<void> {
  await using context = await openCliContext({ org: options.org })
  const realm = await requireOrganization(context, options.org)
  const actor = await requireActor(context, realm, options.as)
  const grants = await readOptions(context, realm, options)
  const limits = { maxUses: maxUses ?? null, allowedDomains: domain }
  const url = await context.storage.transaction((tx) => createLink(tx, actor, grants, limits, context.secret))
  print({ url, role: options.role, invited_by: actor.deliveryEmail }, options.json)
}

async function readOptions(
  context: CliContext,
  realm: Realm,
  { role, channel, group, defaultChannels, days }: InviteOptions,
): Promise<InvitationOptions> {
  const [channelIds, groupIds]: [number[], number[]] = [[], []]
  for (const name of channel) channelIds.push((await requireChannel(context, realm, name)).id)
  for (const name of group) groupIds.push((await requireGroup(context, realm, name)).id)
  const defaultLifetime = context.settings.INVITATION_LINK_VALIDITY_MINUTES
  return {
    role: Role[role],
    channelIds,
    groupIds,
    includesDefaultChannels: defaultChannels,
    notifiesInviter: true,
    lifetimeMinutes: days === undefined ? defaultLifetime : days === Infinity ? null : days * MINUTES_PER_DAY,
  }
}

async function listInvitations({ org, json }: Place): Promise<void> {
  await using context = await openCliContext({ org })
  const { db } = context.storage
  const realm = await requireOrganization(context, org)
  const pending = await findPendingInvitations(db, realm.id, context.clock.now(), null)
  const inviters = await findUsersById(db, new Set(pending.map(({ inviterId }) => inviterId)))
  const emailOf = new Map(inviters.map(({ id, deliveryEmail }) => [id, deliveryEmail]))
  const urlOf = (link: Invitation) => invitationLinkUrl(realm, link, context.settings.EXTERNAL_URL, context.secret)
  print(
    pending.map((invitation) => ({
      id: invitation.id,
      email: invitation.email,
      role: roleNames.find((name) => Role[name] === invitation.role) ?? '',
      invited_by: emailOf.get(invitation.inviterId) ?? '',
      sent: toIsoTime(invitation.sentAt),
      expires: invitation.expiresAt === null ? null : toIsoTime(invitation.expiresAt),
      uses: invitation.uses,
      max_uses: invitation.maxUses,
      url: isByEmail(invitation) ? null : urlOf(invitation),
    })),
    json,
  )
}

async function manage(
  given: string,
  { org, json }: Place,
  state: string,
  write: (tx: Transaction, actor: Actor, invitation: Invitation) => Promise<void>,
): Promise<void> {
  await using context = await openCliContext({ org })
  const realm = await requireOrganization(context, org)
  const actor = await requireActor(context, realm, undefined)
  const invitation = /^\d{1,15}$/.test(given) ? await findInvitation(context.storage.db, Number(given)) : null
  if (invitation?.realmId !== realm.id)
    throw new CliError(`There is no invitation ${given} in ${realm.name}. \`${commandLine('invite list')}\` shows all.`)
  await context.storage.transaction((tx) => write(tx, actor, invitation))
  print({ id: invitation.id, email: invitation.email, state }, json)
}

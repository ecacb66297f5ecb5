/** The grants of an invitation in the model: users, channels and the group by name. */
export type Grants = {
  role: number
  channels: string[]
  hasGroup: boolean
  hasDefaults: boolean
  minutes: number | null
}

export type Invitation = Grants & {
  id: number
  key: string
  inviter: string
  /** Null for links. */
  email: string | null
  domain: string | null
  maxUses: number | null
  uses: number
  expiresAt: number | null
  ended: 'accepted' | 'revoked' | 'superseded' | 'registered' | 'inviter' | null
}

export type ModelUser = { id: number; role: number; isActive: boolean }
export type Channel = { id: number; isPrivate: boolean; isArchived: boolean; isDefault: boolean; members: Set<string> }
export type Level = 'role:members' | 'role:administrators' | 'role:nobody'
export type Permission = 'can_invite_users_group' | 'create_multiuse_invite_group' | 'can_add_subscribers_group'

const OK = 'ok'

const headings = {
  accepted: 'This invitation has been used',
  revoked: 'This invitation was revoked',
  superseded: 'You already have an account',
  registered: 'log in',
  inviter: 'This invitation is no longer valid',
}

/** The rules of invitations as in the specification, with the state that they mention. */
export class Model {
  now: number
  readonly people: Record<string, ModelUser>
  readonly channels: Record<string, Channel>
  readonly group: { id: number; isActive: boolean; adder: string }
  readonly levels: Record<Permission, Level> = {
    can_invite_users_group: 'role:members',
    create_multiuse_invite_group: 'role:administrators',
    can_add_subscribers_group: 'role:members',
  }
  readonly invitations: Invitation[] = []
  readonly addresses = new Set<string>()

  constructor(now: number, people: Model['people'], channels: Model['channels'], group: Model['group']) {
    this.now = now
    this.people = people
    this.channels = channels
    this.group = group
  }

  /** Returns why the user may not call these endpoints; null if they may. */
  refusalOfCaller(name: string): string | null {
    const { isActive, role } = this.#person(name)
    if (!isActive) return 'Account is deactivated'
    return role === 600 ? 'Not allowed for guest users' : null
  }

  /** Returns why the user may not send this invitation; `ok` if they may. */
  refusalOfGrants(name: string, grants: Grants, isLink: boolean, email: string | null): string {
    const refusal = this.refusalOfCaller(name)
    if (refusal !== null) return refusal
    if (!this.#mayInvite(name, isLink)) return 'Insufficient permission'
    if (!this.#mayInviteAs(name, grants.role)) {
      const requiredRole = { 100: 'owner', 200: 'administrator', 300: 'moderator' }[grants.role]
      return `Must be an organization ${requiredRole}`
    }
    for (const channel of grants.channels)
      if (!this.#canRead(name, channel))
        return `Invalid channel ID ${this.channels[channel]?.id}. No invites were sent.`
    if (grants.channels.some((channel) => !this.#maySubscribeOthersTo(name, channel)))
      return 'You do not have permission to subscribe other users to channels.'
    if (grants.hasGroup && !this.group.isActive) return 'User group is deactivated.'
    if (grants.hasGroup && !this.#mayGrantGroup(name)) return 'Insufficient permission'
    const isKnown = email !== null && this.addresses.has(email.toLowerCase())
    return isKnown ? "We weren't able to invite anyone." : OK
  }

  /** Returns why the user may not manage the invitation. */
  refusalOfManagement(name: string, invitation: Invitation): string {
    const refusal = this.refusalOfCaller(name)
    if (refusal !== null) return refusal
    const isLink = invitation.email === null
    if (!isLink && invitation.ended !== null) return 'No such invitation'
    const { role } = this.#person(name)
    if (invitation.inviter !== name) {
      if (invitation.role === 100 && role > 100) return 'Must be an organization owner'
      if (role > 200) return 'Must be an organization administrator'
    }
    if (invitation.ended === 'revoked') return 'Invitation has already been revoked'
    return invitation.ended === null ? OK : 'No such invitation'
  }

  /**
   * Returns why the user may not extend the invitation. One that the user cannot see in the list is answered like a
   * missing one.
   */
  refusalOfExtension(name: string, invitation: Invitation): string {
    const isListed = invitation.inviter === name || this.#person(name).role <= 200
    return this.refusalOfCaller(name) ?? (isListed ? this.refusalOfManagement(name, invitation) : 'No such invitation')
  }

  restart(invitation: Invitation, minutes: number | null): void {
    invitation.minutes = minutes
    invitation.expiresAt = minutes === null ? null : this.now + minutes * 60
  }

  /** Returns the heading of the page behind the link, or `ok` for the form. */
  pageHeading(invitation: Invitation): string {
    if (invitation.ended !== null) return headings[invitation.ended]
    if (invitation.expiresAt !== null && this.now > invitation.expiresAt) return 'This invitation has expired'
    const { inviter, role, email } = invitation
    const mayStill = this.#person(inviter).isActive && this.#mayInvite(inviter, email === null)
    return mayStill && this.#mayInviteAs(inviter, role) ? OK : headings.inviter
  }

  /** Returns the result of accepting the invitation: `in`, or the reason of the refusal. */
  accept(invitation: Invitation, given: string): string {
    const heading = this.pageHeading(invitation)
    if (heading !== OK) return heading
    const email = (invitation.email ?? given).toLowerCase()
    const { domain } = invitation
    if (domain !== null && !email.endsWith(`@${domain}`)) return `This link only accepts addresses at ${domain}.`
    if (this.addresses.has(email)) return 'log in'
    invitation.uses += 1
    if (invitation.uses === invitation.maxUses) invitation.ended = 'accepted'
    this.register(email, 'superseded')
    return 'in'
  }

  /** Returns the channels and groups of a user who just joined by the invitation. */
  memberships({ inviter, channels, hasDefaults, hasGroup }: Invitation): { channelIds: number[]; isInGroup: boolean } {
    const given = channels.filter((name) => this.#canRead(inviter, name) && this.#maySubscribeOthersTo(inviter, name))
    const defaults = Object.keys(this.channels).filter((name) => this.#channel(name).isDefault)
    const names = new Set(
      [...given, ...(hasDefaults ? defaults : [])].filter((name) => !this.#channel(name).isArchived),
    )
    return {
      channelIds: Array.from(names, (name) => this.#channel(name).id).sort((one, other) => one - other),
      isInGroup: hasGroup && this.group.isActive && this.#mayGrantGroup(inviter),
    }
  }

  /** Creates an account with this address. */
  register(email: string, as: 'superseded' | 'registered'): void {
    this.addresses.add(email.toLowerCase())
    for (const one of this.invitations)
      if (one.ended === null && one.email?.toLowerCase() === email.toLowerCase()) one.ended = as
  }

  deactivate(name: string): void {
    this.#person(name).isActive = false
    for (const one of this.invitations) if (one.ended === null && one.inviter === name) one.ended = 'inviter'
  }

  /** Returns the list of an administrator: email invitations, then links. */
  list(): object[] {
    const isOpen = ({ ended, expiresAt }: Invitation) => ended === null && (expiresAt === null || this.now <= expiresAt)
    const open = this.invitations.filter(isOpen).sort((one, other) => one.id - other.id)
    const common = ({ id, inviter, role, expiresAt }: Invitation) => ({
      id,
      invited_by_user_id: this.#person(inviter).id,
      invited_as: role,
      expiry_date: expiresAt,
    })
    return [
      ...open.flatMap((one) => (one.email === null ? [] : { ...common(one), email: one.email })),
      ...open.flatMap((one) => (one.email === null ? { ...common(one), uses: one.uses, max_uses: one.maxUses } : [])),
    ]
  }

  #person = (name: string) => this.people[name] as ModelUser
  #channel = (name: string) => this.channels[name] as Channel

  #hasPermission(name: string, permission: Permission): boolean {
    const lowestRole = { 'role:members': 400, 'role:administrators': 200, 'role:nobody': 0 }[this.levels[permission]]
    return this.#person(name).role <= lowestRole
  }

  #mayInvite(name: string, isLink: boolean): boolean {
    return this.#hasPermission(name, isLink ? 'create_multiuse_invite_group' : 'can_invite_users_group')
  }

  #mayInviteAs(name: string, role: number): boolean {
    return role >= 400 || this.#person(name).role <= role
  }

  #canRead(name: string, channel: string): boolean {
    const { isArchived, isPrivate, members } = this.#channel(channel)
    return !isArchived && (!isPrivate || members.has(name))
  }

  #maySubscribeOthersTo(name: string, channel: string): boolean {
    if (this.#channel(channel).isDefault || this.#person(name).role <= 200) return true
    return this.#hasPermission(name, 'can_add_subscribers_group')
  }

  #mayGrantGroup(name: string): boolean {
    return this.#person(name).role === 100 || this.group.adder === name
  }
}

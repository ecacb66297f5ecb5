/** What an invitation promises, in the words of the model: people, channels and the group by their names. */
export type ModelGrants = {
  role: number
  channels: string[]
  hasGroup: boolean
  hasDefaults: boolean
  minutes: number | null
}

export type Invitation = ModelGrants & {
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

export type Somebody = { id: number; role: number; isActive: boolean }
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

/** The rules of invitations as they are written down, with nothing kept but what they speak of. */
export class Model {
  now: number
  readonly people: Record<string, Somebody>
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

  /** Why the person may call nothing of all this; null when they may. */
  refusalOfCaller(name: string): string | null {
    const { isActive, role } = this.#person(name)
    if (!isActive) return 'Account is deactivated'
    return role === 600 ? 'Not allowed for guest users' : null
  }

  /** Why the person may not invite like this; 'ok' when they may. */
  refusalOfGrants(name: string, offer: ModelGrants, isLink: boolean, email: string | null): string {
    const barred = this.refusalOfCaller(name)
    if (barred !== null) return barred
    if (!this.#mayInvite(name, isLink)) return 'Insufficient permission'
    if (!this.#mayInviteAs(name, offer.role)) {
      const least = { 100: 'owner', 200: 'administrator', 300: 'moderator' }[offer.role]
      return `Must be an organization ${least}`
    }
    for (const channel of offer.channels)
      if (!this.#reads(name, channel)) return `Invalid channel ID ${this.channels[channel]?.id}. No invites were sent.`
    if (offer.channels.some((channel) => !this.#maySubscribeOthersTo(name, channel)))
      return 'You do not have permission to subscribe other users to channels.'
    if (offer.hasGroup && !this.group.isActive) return 'User group is deactivated.'
    if (offer.hasGroup && !this.#givesGroup(name)) return 'Insufficient permission'
    const isKnown = email !== null && this.addresses.has(email.toLowerCase())
    return isKnown ? "We weren't able to invite anyone." : OK
  }

  /** Why the person may not manage the invitation. */
  refusalOfManagement(name: string, invitation: Invitation): string {
    const barred = this.refusalOfCaller(name)
    if (barred !== null) return barred
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

  /** Why the person may not extend the invitation: one that is not listed to them is answered like one that does not exist. */
  refusalOfExtension(name: string, invitation: Invitation): string {
    const isListed = invitation.inviter === name || this.#person(name).role <= 200
    return this.refusalOfCaller(name) ?? (isListed ? this.refusalOfManagement(name, invitation) : 'No such invitation')
  }

  live(invitation: Invitation, minutes: number | null): void {
    invitation.minutes = minutes
    invitation.expiresAt = minutes === null ? null : this.now + minutes * 60
  }

  /** What whoever follows the link finds: the heading of a page, or 'ok' where the form is. */
  pageHeading(invitation: Invitation): string {
    if (invitation.ended !== null) return headings[invitation.ended]
    if (invitation.expiresAt !== null && this.now > invitation.expiresAt) return 'This invitation has expired'
    const { inviter, role, email } = invitation
    const mayStill = this.#person(inviter).isActive && this.#mayInvite(inviter, email === null)
    return mayStill && this.#mayInviteAs(inviter, role) ? OK : headings.inviter
  }

  /** What comes of accepting it: 'in', or why nobody is. */
  accept(invitation: Invitation, given: string): string {
    const face = this.pageHeading(invitation)
    if (face !== OK) return face
    const email = (invitation.email ?? given).toLowerCase()
    const { domain } = invitation
    if (domain !== null && !email.endsWith(`@${domain}`)) return `This link only accepts addresses at ${domain}.`
    if (this.addresses.has(email)) return 'log in'
    invitation.uses += 1
    if (invitation.uses === invitation.maxUses) invitation.ended = 'accepted'
    this.register(email, 'superseded')
    return 'in'
  }

  /** Where somebody is who came by the invitation just now. */
  memberships({ inviter, channels, hasDefaults, hasGroup }: Invitation): { channelIds: number[]; isInGroup: boolean } {
    const given = channels.filter((name) => this.#reads(inviter, name) && this.#maySubscribeOthersTo(inviter, name))
    const usual = Object.keys(this.channels).filter((name) => this.#channel(name).isDefault)
    const names = new Set([...given, ...(hasDefaults ? usual : [])].filter((name) => !this.#channel(name).isArchived))
    return {
      channelIds: Array.from(names, (name) => this.#channel(name).id).sort((one, other) => one - other),
      isInGroup: hasGroup && this.group.isActive && this.#givesGroup(inviter),
    }
  }

  /** Lets an address have an account. */
  register(email: string, as: 'superseded' | 'registered'): void {
    this.addresses.add(email.toLowerCase())
    for (const one of this.invitations)
      if (one.ended === null && one.email?.toLowerCase() === email.toLowerCase()) one.ended = as
  }

  deactivate(name: string): void {
    this.#person(name).isActive = false
    for (const one of this.invitations) if (one.ended === null && one.inviter === name) one.ended = 'inviter'
  }

  /** The list of an administrator: those by e-mail, then links. */
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

  #person = (name: string) => this.people[name] as Somebody
  #channel = (name: string) => this.channels[name] as Channel

  #isAllowed(name: string, permission: Permission): boolean {
    const most = { 'role:members': 400, 'role:administrators': 200, 'role:nobody': 0 }[this.levels[permission]]
    return this.#person(name).role <= most
  }

  #mayInvite(name: string, isLink: boolean): boolean {
    return this.#isAllowed(name, isLink ? 'create_multiuse_invite_group' : 'can_invite_users_group')
  }

  #mayInviteAs(name: string, role: number): boolean {
    return role >= 400 || this.#person(name).role <= role
  }

  #reads(name: string, channel: string): boolean {
    const { isArchived, isPrivate, members } = this.#channel(channel)
    return !isArchived && (!isPrivate || members.has(name))
  }

  #maySubscribeOthersTo(name: string, channel: string): boolean {
    if (this.#channel(channel).isDefault || this.#person(name).role <= 200) return true
    return this.#isAllowed(name, 'can_add_subscribers_group')
  }

  #givesGroup(name: string): boolean {
    return this.#person(name).role === 100 || this.group.adder === name
  }
}

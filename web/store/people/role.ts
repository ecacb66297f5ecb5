/** Roles by their numbers on the wire, the mightiest first. */
export const ROLES = [
  { id: 100, label: 'Owner', hint: 'May do everything, and close the organization.' },
  { id: 200, label: 'Administrator', hint: 'Manages people, channels and settings.' },
  { id: 300, label: 'Moderator', hint: 'A member who also helps with channels and people.' },
  { id: 400, label: 'Member', hint: 'Sees everybody, and joins public channels freely.' },
  { id: 600, label: 'Guest', hint: 'Sees only the channels that they are added to.' },
] as const

export const roleName = (role: number): string => ROLES.find(({ id }) => id === role)?.label ?? 'Member'

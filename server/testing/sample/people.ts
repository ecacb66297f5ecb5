import { Role } from '#rules/role.ts'

/** The sample's people in addition to the people of every test organization. */
export const newcomers = {
  dana: Role.member,
  emil: Role.member,
  farah: Role.member,
  goran: Role.member,
  hanna: Role.member,
} as const

/** The full names of the people in the sample. */
export const personNames = {
  owner: 'Olga Lindqvist',
  admin: 'Adam Reyes',
  moderator: 'Mona Haddad',
  alice: 'Alice Bergmann',
  bob: 'Bob Okafor',
  carol: 'Carol Nakamura',
  guest: 'Guido Rossi',
  deactivated: 'Dario Quint',
  dana: 'Dana Whitfield',
  emil: 'Emil Novak',
  farah: 'Farah Aziz',
  goran: 'Goran Petrovic',
  hanna: 'Hanna Virtanen',
} as const

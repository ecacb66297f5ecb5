import { t } from '../../text/t.ts'
/** The roles with their numbers in the API, from the most to the least powerful. */
export const ROLES = [
  { id: 100, label: t('Owner'), hint: t('Can do everything, including deactivating the organization.') },
  { id: 200, label: t('Administrator'), hint: t('Manages people, channels and settings.') },
  { id: 300, label: t('Moderator'), hint: t('A member with extra permissions, such as moving old messages.') },
  { id: 400, label: t('Member'), hint: t('Sees everyone, and can join any public channel.') },
  { id: 600, label: t('Guest'), hint: t('Sees only channels they are added to.') },
] as const

export const roleName = (role: number): string => ROLES.find(({ id }) => id === role)?.label ?? t('Member')

import type { ReactNode } from 'react'
import type { Person } from '../../../store/organization.ts'
import { DeactivateAccountsDialog } from '../../organization/deactivate-accounts-dialog.tsx'
import { ManagePersonDialog } from '../../organization/manage/manage-person-dialog.tsx'
import { RoleDialog } from '../../organization/role-dialog.tsx'
import type { Managing } from './use-person-actions.ts'

/** The dialog for an action of administrators about one user. */
export function ManageDialog(props: { person: Person; act: Managing; onClose: () => void }): ReactNode {
  const { person, act, onClose } = props
  if (act === 'manage') return <ManagePersonDialog userId={person.user_id} onClose={onClose} />
  const Shown = act === 'role' ? RoleDialog : DeactivateAccountsDialog
  return <Shown people={[person]} onClose={onClose} />
}

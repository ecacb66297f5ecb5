import { showChannelsStep, submitChannelsStep } from './channels-step.ts'
import { showJoiningStep, submitJoiningStep } from './joining-step.ts'
import { showOrganizationStep, submitOrganizationStep } from './organization-step.ts'
import { showOwnerStep, submitOwnerStep } from './owner-step.ts'

export const setupPages = [
  showOrganizationStep,
  submitOrganizationStep,
  showOwnerStep,
  submitOwnerStep,
  showJoiningStep,
  submitJoiningStep,
  showChannelsStep,
  submitChannelsStep,
]

import { deleteExportEndpoint, listExportConsents, listExports, startExport } from './endpoints/exports.ts'

export const dataExportEndpoints = [listExports, startExport, deleteExportEndpoint, listExportConsents]

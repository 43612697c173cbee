// Prints the gateway's OpenAPI document.
// An edge with the embedded identity provider serves the document at `/openapi.json`.
import 'reflect-metadata';
import { controllers } from '../../apps/edge-gateway/src/edge-gateway.module.ts';
import { listRoutes } from '../../apps/edge-gateway/src/openapi/route-table.ts';
import { renderDocument } from '../../apps/edge-gateway/src/openapi/render-document.ts';

process.stdout.write(JSON.stringify(renderDocument(listRoutes(controllers))));

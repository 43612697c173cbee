// Prints the gateway's OpenAPI document, as served at `/openapi.json` by an edge with the embedded identity
// provider.
import 'reflect-metadata';
import { controllers } from '../../apps/edge-gateway/src/edge-gateway.module.ts';
import { listRoutes } from '../../apps/edge-gateway/src/openapi/route-table.ts';
import { renderDocument } from '../../apps/edge-gateway/src/openapi/render-document.ts';

process.stdout.write(JSON.stringify(renderDocument(listRoutes(controllers))));

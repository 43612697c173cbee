// Prints the gateway's OpenAPI document as `/openapi.json` of an edge with the embedded identity returns it.
import 'reflect-metadata';
import { controllers } from '../../apps/edge-gateway/src/edge-gateway.module.ts';
import { listRoutes } from '../../apps/edge-gateway/src/openapi/route-table.ts';
import { renderDocument } from '../../apps/edge-gateway/src/openapi/render-document.ts';

process.stdout.write(JSON.stringify(renderDocument(listRoutes(controllers))));

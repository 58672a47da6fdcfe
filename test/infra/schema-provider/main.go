// Command schema-provider answers terraform's questions about the google provider's schema from a file, so that
// `terraform validate` and `terraform test` (with every call mocked) run where the provider itself cannot be had.
// It never makes anything: a plan or an apply without mocks ends with an error.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tfprotov5/tf5server"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

type attribute struct {
	Type     json.RawMessage `json:"type"`
	Required bool            `json:"required"`
	Optional bool            `json:"optional"`
	Computed bool            `json:"computed"`
}

type nesting struct {
	Mode  string `json:"nesting_mode"`
	Block block  `json:"block"`
	Min   int64  `json:"min_items"`
	Max   int64  `json:"max_items"`
}

type block struct {
	Attributes map[string]attribute `json:"attributes"`
	Blocks     map[string]nesting   `json:"block_types"`
}

type schema struct {
	Version int64 `json:"version"`
	Block   block `json:"block"`
}

type schemaFile struct {
	Provider  schema            `json:"provider_schema"`
	Resources map[string]schema `json:"resource_schemas"`
	Data      map[string]schema `json:"data_source_schemas"`
}

func (b block) proto() (*tfprotov5.SchemaBlock, error) {
	out := &tfprotov5.SchemaBlock{}
	for name, a := range b.Attributes {
		kind, err := tftypes.ParseJSONType(a.Type) //nolint:staticcheck // the only reader of terraform's own type notation
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out.Attributes = append(out.Attributes, &tfprotov5.SchemaAttribute{
			Name: name, Type: kind, Required: a.Required, Optional: a.Optional, Computed: a.Computed,
		})
	}
	modes := map[string]tfprotov5.SchemaNestedBlockNestingMode{
		"single": tfprotov5.SchemaNestedBlockNestingModeSingle,
		"list":   tfprotov5.SchemaNestedBlockNestingModeList,
		"set":    tfprotov5.SchemaNestedBlockNestingModeSet,
	}
	for name, n := range b.Blocks {
		inner, err := n.Block.proto()
		if err != nil {
			return nil, fmt.Errorf("%s.%w", name, err)
		}
		out.BlockTypes = append(out.BlockTypes, &tfprotov5.SchemaNestedBlock{
			TypeName: name, Block: inner, Nesting: modes[n.Mode], MinItems: n.Min, MaxItems: n.Max,
		})
	}
	return out, nil
}

func protoSchemas(in map[string]schema) (map[string]*tfprotov5.Schema, error) {
	out := map[string]*tfprotov5.Schema{}
	for name, s := range in {
		b, err := s.Block.proto()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out[name] = &tfprotov5.Schema{Version: s.Version, Block: b}
	}
	return out, nil
}

// server answers what validation and mocked tests ask; the embedded interface is nil, so anything else fails loudly.
type server struct {
	tfprotov5.ProviderServer
	schema *tfprotov5.GetProviderSchemaResponse
}

var errNotReal = errors.New("this provider knows the schema only; mock it (mock_provider), or install the real one")

func (s *server) GetMetadata(context.Context, *tfprotov5.GetMetadataRequest) (*tfprotov5.GetMetadataResponse, error) {
	out := &tfprotov5.GetMetadataResponse{ServerCapabilities: s.schema.ServerCapabilities}
	for name := range s.schema.ResourceSchemas {
		out.Resources = append(out.Resources, tfprotov5.ResourceMetadata{TypeName: name})
	}
	for name := range s.schema.DataSourceSchemas {
		out.DataSources = append(out.DataSources, tfprotov5.DataSourceMetadata{TypeName: name})
	}
	return out, nil
}

func (s *server) GetProviderSchema(context.Context, *tfprotov5.GetProviderSchemaRequest) (*tfprotov5.GetProviderSchemaResponse, error) {
	return s.schema, nil
}

func (s *server) PrepareProviderConfig(_ context.Context, r *tfprotov5.PrepareProviderConfigRequest) (*tfprotov5.PrepareProviderConfigResponse, error) {
	return &tfprotov5.PrepareProviderConfigResponse{PreparedConfig: r.Config}, nil
}

func (s *server) ValidateResourceTypeConfig(context.Context, *tfprotov5.ValidateResourceTypeConfigRequest) (*tfprotov5.ValidateResourceTypeConfigResponse, error) {
	return &tfprotov5.ValidateResourceTypeConfigResponse{}, nil
}

func (s *server) ValidateDataSourceConfig(context.Context, *tfprotov5.ValidateDataSourceConfigRequest) (*tfprotov5.ValidateDataSourceConfigResponse, error) {
	return &tfprotov5.ValidateDataSourceConfigResponse{}, nil
}

func (s *server) ConfigureProvider(context.Context, *tfprotov5.ConfigureProviderRequest) (*tfprotov5.ConfigureProviderResponse, error) {
	return &tfprotov5.ConfigureProviderResponse{}, nil
}

func (s *server) ReadDataSource(context.Context, *tfprotov5.ReadDataSourceRequest) (*tfprotov5.ReadDataSourceResponse, error) {
	return nil, errNotReal
}

func (s *server) ReadResource(context.Context, *tfprotov5.ReadResourceRequest) (*tfprotov5.ReadResourceResponse, error) {
	return nil, errNotReal
}

func (s *server) PlanResourceChange(context.Context, *tfprotov5.PlanResourceChangeRequest) (*tfprotov5.PlanResourceChangeResponse, error) {
	return nil, errNotReal
}

func (s *server) ApplyResourceChange(context.Context, *tfprotov5.ApplyResourceChangeRequest) (*tfprotov5.ApplyResourceChangeResponse, error) {
	return nil, errNotReal
}

func (s *server) StopProvider(context.Context, *tfprotov5.StopProviderRequest) (*tfprotov5.StopProviderResponse, error) {
	return &tfprotov5.StopProviderResponse{}, nil
}

func load(path string) (*server, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var file schemaFile
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	provider, err := file.Provider.Block.proto()
	if err != nil {
		return nil, err
	}
	resources, err := protoSchemas(file.Resources)
	if err != nil {
		return nil, err
	}
	data, err := protoSchemas(file.Data)
	if err != nil {
		return nil, err
	}
	return &server{schema: &tfprotov5.GetProviderSchemaResponse{
		ServerCapabilities: &tfprotov5.ServerCapabilities{GetProviderSchemaOptional: true},
		Provider:           &tfprotov5.Schema{Block: provider},
		ResourceSchemas:    resources,
		DataSourceSchemas:  data,
	}}, nil
}

func main() {
	s, err := load(os.Getenv("GOOGLE_SCHEMA"))
	if err == nil {
		err = tf5server.Serve("hashicorp/google", func() tfprotov5.ProviderServer { return s })
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "schema-provider:", err)
		os.Exit(1)
	}
}
